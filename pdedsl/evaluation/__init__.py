"""Evaluation of classifiers: clean, robust and certified accuracy, gradient-masking audit, report."""
