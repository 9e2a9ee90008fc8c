"""`make fuzz CASES=… SEED=…`; ends with 1 if something was found."""

from __future__ import annotations

import argparse
import json
import sys

from fuzzing.campaign import BRIEF, FULL, campaign, summary, work

parser = argparse.ArgumentParser(prog="fuzzing")
parser.add_argument("--cases", type=int, default=10_000)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--first", type=int, default=0, help="the number of the first case, to go on or to repeat one")
parser.add_argument("--brief", action="store_true", help="more bytes and fewer specs: three times as many cases")
parser.add_argument("--work", type=json.loads, help=argparse.SUPPRESS)
arguments = parser.parse_args()
if arguments.work:
    work(*arguments.work)
else:
    shares = BRIEF if arguments.brief else FULL
    found = campaign(arguments.cases, arguments.seed, arguments.first, shares)
    print(summary(found, arguments.seed, shares))
    sys.exit(1 if found.faults else 0)
