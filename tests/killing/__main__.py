"""`make kills KILLS=… SEED=…`; exit code 1 if there are faults."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from killing.campaign import IN_A_ROW, campaign
from killing.kinds import kinds

parser = argparse.ArgumentParser(prog="killing")
parser.add_argument("--kills", type=int, default=200)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--in-a-row", type=int, default=IN_A_ROW, help="kills of one run, at most")
parser.add_argument("--only", nargs="*", default=[""], help="kinds of run whose names contain one of these")
arguments = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    chosen = tuple(kind for kind in kinds() if any(name in kind.name for name in arguments.only))
    findings = campaign(arguments.kills, arguments.seed, Path(folder), chosen, arguments.in_a_row)
print(findings)
sys.exit(1 if findings.faults else 0)
