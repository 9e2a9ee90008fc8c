"""One thread: the sizes are small, and a busy machine must not change what is measured."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
