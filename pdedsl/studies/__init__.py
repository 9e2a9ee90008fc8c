"""Studies: many runs of one spec, by a grid or by random or TPE search, and their statistics."""
