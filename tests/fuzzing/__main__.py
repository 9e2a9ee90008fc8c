"""`make fuzz CASES=… SEED=…`; ends with 1 if something was found."""

from __future__ import annotations

import argparse
import json
import sys

from fuzzing.campaign import BRIEF, BY_CELL, FULL, campaign, summary, work
from fuzzing.cells import cell_counts

parser = argparse.ArgumentParser(prog="fuzzing")
parser.add_argument("--cases", type=int, default=10_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--first", type=int, default=0, help="the number of the first case, to go on or to repeat one")
parser.add_argument("--brief", action="store_true", help="more bytes and fewer specs: three times as many cases")
parser.add_argument("--cells", action="store_true", help="each type of unknown × space × condition in turn")
parser.add_argument("--check-only", action="store_true", help="no formatting, no code: twice as many cases")
parser.add_argument("--work", type=json.loads, help=argparse.SUPPRESS)
arguments = parser.parse_args()
if arguments.work:
    work(*arguments.work)
else:
    shares = BY_CELL if arguments.cells else BRIEF if arguments.brief else FULL
    found = campaign(arguments.cases, arguments.seed, arguments.first, shares, arguments.check_only)
    print(summary(found, arguments.seed, shares))
    if arguments.cells:
        counts = cell_counts(range(arguments.first, arguments.first + arguments.cases))
        print(f"{len(counts)} cells with at least {min(counts.values())} and at most {max(counts.values())} cases each")
    sys.exit(1 if found.faults else 0)
