"""Property-based tests of compiled models: `from pdedsl.testing import axioms, equation`."""
