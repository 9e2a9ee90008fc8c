"""Elaboration: syntax tree → Spec, with names resolved, types checked and formulas as sympy expressions."""
