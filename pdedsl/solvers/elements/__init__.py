"""Finite elements on scikit-fem, whose log lines about the memory layout of its arrays do not concern the user."""

import logging

logging.getLogger("skfem").setLevel(logging.ERROR)
