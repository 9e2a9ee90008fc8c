"""Front end: lexer, parser, elaboration, formatter, and hints for other notations."""
