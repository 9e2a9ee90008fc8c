"""Mutants of the provers, and the rows that kill them.

    PYTHONPATH=tests python -m analysis.mutants reach --seed 1 --out reach.jsonl
    PYTHONPATH=tests python -m analysis.mutants kill --seed 1 --out kill.jsonl --reach reach.jsonl
    PYTHONPATH=tests python -m analysis.mutants cover --reach reach.jsonl --kill kill.jsonl --out rows.txt

A mutant is one changed expression in `pdedsl/analysis`: a comparison, `and` for `or`, a guard that never holds, a
sign or number. All mutants of a seed are compiled into the modules, and one is switched on at a time: nothing
is imported again. `reach` analyses every row without a mutant and notes for which mutants the changed expression has
another value, and which branches are taken. `kill` runs these rows alone, in a forked process for each mutant, first
those that are kept in any case, and stops when the mutant is killed. A row kills a mutant if its test fails or does not
end. `cover` lists the rows that a greedy set cover of branches, changed values and kills chooses beside those that are
kept. `--part 0/2` takes every second row or mutant.
"""

from __future__ import annotations

import ast
import copy
import functools
import gc
import importlib.abc
import importlib.machinery
import json
import os
import random
import signal
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

PACKAGE = "pdedsl.analysis"
SOURCES = Path(__file__).parents[2] / "pdedsl" / "analysis"
MUTANTS = 300
CPU_SECONDS = 20  # of one row; it takes 0.03 s on average, and 1.5 s at most
KILLS = 2  # rows that are looked for, beyond those that are kept in any case
SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


# ---- mutation points


def mutated(node: ast.expr, is_guard: bool) -> ast.expr | None:
    """The expression in place of a node, if it is a mutation point."""
    match node:
        case _ if is_guard:
            return ast.Constant(False)
        case ast.Compare(ops=[op]):
            return ast.Compare(node.left, [SWAPPED[type(op)]()], node.comparators)
        case ast.BoolOp(op=op):
            return ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return operand
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return ast.Constant(value + 1)
        case _:
            return None


class Points(ast.NodeTransformer):
    """Numbers the mutation points and the branches of a module, inside functions, and replaces those in `chosen`."""

    def __init__(self, module: str, chosen: set[str] | None) -> None:
        self.module, self.chosen, self.depth = module, chosen, 0
        self.points: list[str] = []
        self.branches = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.depth += 1
        node.body = [self.visit(statement) for statement in node.body]
        self.depth -= 1
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        leaves = isinstance(node.body[-1], ast.Return | ast.Continue | ast.Raise) and not node.orelse
        node.test = self._branch(self._point(node.test, True) if leaves and self.depth else self.visit(node.test))
        node.body, node.orelse = ([self.visit(s) for s in part] for part in (node.body, node.orelse))
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        node.test = self._branch(node.test)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs = [self._branch(test) for test in node.ifs]
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        node.guard = self.visit(node.guard) if node.guard else None
        node.body = [ast.Expr(self._branch(ast.Constant(True))), *(self.visit(s) for s in node.body)]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        return node

    def generic_visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and self.depth:
            return self._point(node, False)
        return super().generic_visit(node)

    def _point(self, node: ast.expr, is_guard: bool) -> ast.expr:
        place = f"{self.module}:{node.lineno}:{node.col_offset}:{'guard' if is_guard else type(node).__name__}"
        super().generic_visit(node)
        other = mutated(node, is_guard)
        if other is None or any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
            return node
        self.points.append(place)
        if self.chosen is None or place not in self.chosen:
            return node
        return _call("_choose", ast.Constant(place), _delayed(node), _delayed(copy.deepcopy(other)))

    def _branch(self, test: ast.expr) -> ast.expr:
        if not self.depth:
            return test
        self.branches += 1
        return _call("_branch", ast.Constant(f"{self.module}:{self.branches}"), test)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _delayed(expr: ast.expr) -> ast.Lambda:
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(none, expr)


def draw_mutants(seeds: Iterable[int], count: int) -> list[str]:
    """Mutation points of all provers, a fixed number for each seed; equal sources give equal points."""
    every = []
    for path in sorted(SOURCES.rglob("*.py")):
        points = Points(".".join(path.relative_to(SOURCES).with_suffix("").parts), None)
        points.visit(ast.parse(path.read_text("utf-8")))
        every += points.points
    return list(dict.fromkeys(place for seed in seeds for place in random.Random(seed).sample(every, count)))


# ---- modules with all mutants inside


class Switch:
    """The mutant that is on, and the notes of a row."""

    def __init__(self) -> None:
        self.active = ""
        self.changed: set[str] = set()  # mutants whose expression has another value
        self.branches: set[str] = set()

    def choose(self, place: str, original: Callable[[], Any], other: Callable[[], Any]) -> Any:
        if place == self.active:
            return other()
        value = original()
        if not self.active and place not in self.changed:
            try:
                changed = type(beside := other()) is not type(value) or bool(beside != value)
            except Exception:
                changed = True
            if changed:
                self.changed.add(place)
        return value

    def branch(self, place: str, value: Any) -> Any:
        self.branches.add(f"{place}:{bool(value):d}")
        return value


class Instrumented(importlib.machinery.SourceFileLoader):
    chosen: set[str]
    switch: Switch

    def get_code(self, fullname: str) -> CodeType:
        module = fullname.removeprefix(PACKAGE).removeprefix(".") or "__init__"
        tree = Points(module, self.chosen).visit(ast.parse(Path(self.path).read_text("utf-8")))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(_choose=self.switch.choose, _branch=self.switch.branch)
        super().exec_module(module)


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name != PACKAGE and not name.startswith(PACKAGE + "."):
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        assert found is not None
        assert found.origin is not None
        found.loader = Instrumented(name, found.origin)
        return found


def load_rows(chosen: Iterable[str]) -> tuple[Switch, list[Any], Callable[[Any], str], frozenset[str]]:
    """The switch, the rows, their test (empty if passed) and the rows that are kept in any case."""
    Instrumented.chosen, Instrumented.switch = set(chosen), Switch()
    sys.meta_path.insert(0, Finder())
    from analysis.checks import false, undecided, wrong_classes, wrong_form
    from analysis.tables import EQUATIONS, ORDINARY, TABLE
    from analysis.test_hypotheses import UNDECIDED
    from pdedsl.compiler import to_analysis, to_spec
    from pdedsl.diagnostics import Source

    elaborated = functools.cache(lambda text: to_spec(Source(text)))  # the mutants are behind it

    def test(row: Any) -> str:
        try:
            analysis = to_analysis(elaborated(row.text))
            open_axioms = undecided(row, analysis.axioms)
            is_open = UNDECIDED.get(row.name, "").split() != open_axioms
            wrong = (wrong_classes(row, analysis), wrong_form(row, analysis), false(row, analysis.axioms))
            return str([*filter(None, wrong), *([open_axioms] if is_open else [])] or "")
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    kept = frozenset(row.id for row in (*EQUATIONS, *ORDINARY))
    return Instrumented.switch, [*EQUATIONS, *ORDINARY, *(r for r in TABLE if r.id not in kept)], test, kept


def analysis_caches() -> list[Any]:
    """The caches of functions of the analysis, whose values depend on the mutant."""
    caches = (c for c in gc.get_objects() if isinstance(c, functools._lru_cache_wrapper))
    return [c for c in caches if getattr(c, "__module__", "").startswith(PACKAGE)]


def clear_caches(caches: list[Any]) -> None:
    for cached in caches:
        cached.cache_clear()


def part_of(items: Sequence[Any], part: str) -> Sequence[Any]:
    k, n = map(int, part.split("/"))
    return items[k::n]


# ---- the three commands


def reach(options: Namespace) -> None:
    switch, rows, test, kept = load_rows(draw_mutants(options.seed, options.mutants))
    first = [row for row in rows if row.id in kept]
    others = [row for row in rows if row.id not in kept]
    random.Random(0).shuffle(others)
    done = {line["id"] for line in read_lines(options.out)}
    test(rows[0])  # imports everything
    caches = analysis_caches()
    with open(options.out, "a", encoding="utf-8") as out:
        for row in part_of([*first, *others], options.part):
            if row.id in done:
                continue
            clear_caches(caches)
            switch.changed, switch.branches = set(), set()
            began = time.process_time()
            failed = test(row)
            seconds = round(time.process_time() - began, 4)
            found = {"changed": sorted(switch.changed), "branches": sorted(switch.branches), "failed": failed}
            print(json.dumps({"id": row.id, "seconds": seconds, **found}), file=out, flush=True)


def read_lines(path: str) -> Iterator[dict[str, Any]]:
    """The lines of a file that a command wrote; it goes on behind them."""
    for line in Path(path).read_text("utf-8").splitlines() if os.path.exists(path) else ():
        yield json.loads(line)


def kill(options: Namespace) -> None:
    mutants = draw_mutants(options.seed, options.mutants)
    switch, rows, test, kept = load_rows(mutants)
    known = [line for path in options.reach for line in read_lines(path)]
    seconds = {line["id"]: line["seconds"] for line in known if not line["failed"]}
    reaching = defaultdict(list)
    for line in known:
        for place in line["changed"] if line["id"] in seconds else ():
            reaching[place].append(line["id"])
    for row in rows:
        test(row)  # forked processes have its imports, its elaborated spec and the caches of sympy
    clear_caches(analysis_caches())
    by_id = {row.id: row for row in rows}
    done = {line["mutant"] for line in read_lines(options.out)}
    with open(options.out, "a", encoding="utf-8") as out:
        for place in (mutant for mutant in part_of(mutants, options.part) if mutant not in done):
            ids = sorted(reaching[place], key=seconds.__getitem__)
            ids = [*(i for i in ids if i in kept), *[i for i in ids if i not in kept][: options.rows]]
            tried = run_forked(lambda ids=ids, place=place: kill_one(switch, place, ids, by_id, test, kept))
            print(json.dumps({"mutant": place, "reached": len(reaching[place]), **tried}), file=out, flush=True)


def kill_one(
    switch: Switch, place: str, ids: list[str], rows: dict[str, Any], test: Callable[[Any], str], kept: frozenset[str]
) -> Iterator[str]:
    """Lines `+ row` for each row that kills and `- row` for each that does not."""
    switch.active, killers = place, 0
    for i in ids:
        yield f"? {i}"
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # nobody catches it
        failed = test(rows[i])
        signal.setitimer(signal.ITIMER_PROF, 0)
        yield f"+ {i}" if failed else f"- {i}"
        killers += bool(failed)
        if failed and (i in kept or killers == KILLS):
            return


def run_forked(work: Callable[[], Iterator[str]]) -> dict[str, Any]:
    """The lines of a child process; a row during which it died or reached its limit counts as a kill."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with open(write, "w", encoding="utf-8") as out:
            for line in work():
                print(line, file=out, flush=True)
        os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as lines:
        said = [(line[0], line[2:].rstrip("\n")) for line in lines]
    os.waitpid(child, 0)
    killers = [i for sign, i in said if sign == "+"]
    if said and said[-1][0] == "?":
        killers.append(said[-1][1])
    return {"killers": killers, "survived": [i for sign, i in said if sign == "-"]}


def cover(options: Namespace) -> None:
    """Greedy set cover at least cost: every branch, every mutant with another value and every kill, each in `--times`
    rows if there are so many."""
    known = {line["id"]: line for path in options.reach for line in read_lines(path)}
    kills = [line for path in options.kill for line in read_lines(path)]
    _, _, _, kept = load_rows(())
    goals = {i: {*line["branches"], *line["changed"]} for i, line in known.items()}
    for line in kills:
        for i in line["killers"]:
            goals[i].add(f"kill {line['mutant']}")
    left = Counter(goal for found in goals.values() for goal in found)
    left = Counter({goal: min(count, options.times) for goal, count in left.items()})
    left -= Counter(goal for i in kept if i in goals for goal in goals[i])
    chosen: list[str] = []
    while left:
        best = max(
            (i for i in goals if i not in kept),
            key=lambda i: len(goals[i] & left.keys()) / (0.02 + known[i]["seconds"]),
        )
        chosen.append(best)
        left -= Counter(goals.pop(best))
    everything, remaining = (
        sum(known[i]["seconds"] for i in ids) for ids in (known, [i for i in known if i in kept or i in chosen])
    )
    killed = sum(bool(line["killers"]) for line in kills)
    print(f"{len(known)} rows, {len(kept & set(known))} kept in any case, {len(chosen)} chosen")
    print(f"{everything:.0f} s of analysis before, {remaining:.0f} s after; {killed} of {len(kills)} mutants killed")
    Path(options.out).write_text("\n".join(sorted(chosen)) + "\n", encoding="utf-8")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("reach", "kill", "cover"))
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--mutants", type=int, default=MUTANTS)
    parser.add_argument("--part", default="0/1")
    parser.add_argument(
        "--rows", type=int, default=60, help="that are tried for one mutant at most, beside those that are kept"
    )
    parser.add_argument("--times", type=int, default=3, help="rows for each branch, changed value and kill")
    parser.add_argument("--reach", nargs="+", default=[])
    parser.add_argument("--kill", nargs="+", default=[])
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    {"reach": reach, "kill": kill, "cover": cover}[options.command](options)


if __name__ == "__main__":
    main()
