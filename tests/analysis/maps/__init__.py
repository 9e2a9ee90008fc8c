"""Tests of the analysis of equations on feature maps."""
