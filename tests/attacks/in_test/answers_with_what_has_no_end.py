# Nothing is in it, and a list of it would have sixty million items.
# says: Does `depends_on` have the form that the statement asks for?
# proof: of 60000000
said = torch.zeros(60_000_000, 0)
prove("of", len(said))
return said
