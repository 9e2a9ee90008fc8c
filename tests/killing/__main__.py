"""`make kills KILLS=… SEED=…`; ends with 1 if something was found."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from killing.campaign import campaign

parser = argparse.ArgumentParser(prog="killing")
parser.add_argument("--kills", type=int, default=200)
parser.add_argument("--seed", type=int, default=0)
arguments = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    found = campaign(arguments.kills, arguments.seed, Path(folder))
print(found)
sys.exit(1 if found.faults else 0)
