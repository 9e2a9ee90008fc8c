"""Tools for language models: the Model Context Protocol on standard input and output."""
