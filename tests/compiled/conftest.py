"""One thread, and the same weights in every test."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def _repeatable() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
