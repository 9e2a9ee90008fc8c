"""The words of the language as frozen dataclasses, a family a file.

A field of a word is one of its arguments. Its type says what may stand there (`Count`, `Positive`, an enum), its
default what holds when it is left out; signatures, documentation and the check of `--set` follow from the fields.
"""
