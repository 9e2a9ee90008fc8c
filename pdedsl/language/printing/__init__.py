"""Syntax tree → text: canonical Unicode or ASCII, and LaTeX."""
