# state: error
# proof: about to exit pytest [0-9.]+
import pytest

prove("about to exit pytest", pytest.__version__)
pytest.exit("all is well", returncode=0)
