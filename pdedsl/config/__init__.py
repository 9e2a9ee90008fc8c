"""Configuration classes of the language: networks, methods, data sets, optimizers, attacks, blocks.

A keyword with its arguments is a frozen dataclass. A field is an argument: its type gives the kind and range of values,
its default the value if the argument is omitted. Signatures, documentation, completion and `--set` follow from it.
"""
