"""Property-based tests of compiled models: `from pdedsl.testing import axioms, equation`."""

__all__ = ["axioms", "equation", "model"]
