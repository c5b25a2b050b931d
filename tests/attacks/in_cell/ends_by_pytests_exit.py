# pytest's own way out, in a process in which nobody waits for it.
# state: error
# proof: Skipped is no Exception: True
import pytest

prove("Skipped is no Exception:", not issubclass(pytest.skip.Exception, Exception))
pytest.skip("nothing to see here", allow_module_level=True)
