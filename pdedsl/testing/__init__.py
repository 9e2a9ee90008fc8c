"""Property-based tests of the axioms on compiled operators: `from pdedsl.testing import axioms`."""
