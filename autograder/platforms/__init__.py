"""Learning platforms, a module each, both ways: how its download is read, what it takes back."""
