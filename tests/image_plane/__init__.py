"""Tests of equations on the image plane."""
