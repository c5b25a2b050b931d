# What a browser would run is not kept.
from IPython.display import HTML, Javascript, display

display(HTML("<script>planted-0123456789abcdef</script>"), Javascript("planted-0123456789abcdef"))
