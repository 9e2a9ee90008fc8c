"""`make kills KILLS=… SEED=…`; ends with 1 if something was found."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from killing.campaign import campaign
from killing.kinds import kinds

parser = argparse.ArgumentParser(prog="killing")
parser.add_argument("--kills", type=int, default=200)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--only", default="", help="kinds of run whose names hold this")
arguments = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    chosen = tuple(kind for kind in kinds() if arguments.only in kind.name)
    found = campaign(arguments.kills, arguments.seed, Path(folder), chosen)
print(found)
sys.exit(1 if found.faults else 0)
