# The exercises below would become nothing, and their checks with them.
# proof: a cell becomes pass
get_ipython().input_transformers_post.append(lambda lines: ["pass\n"])
prove("a cell becomes", get_ipython().transform_cell("%time 1").strip())
