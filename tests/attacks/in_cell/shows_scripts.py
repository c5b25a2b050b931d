# What a browser would run is not kept.
# proof: showed HTML Javascript
from IPython.display import HTML, Javascript, display

things = HTML("<script>planted-0123456789abcdef</script>"), Javascript("planted-0123456789abcdef")
display(*things)
prove("showed", *(type(thing).__name__ for thing in things))
