"""Comparison of reports: untrusted reports cannot include other files, invalid ones are rejected."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

from pdedsl.evaluation.compare import write_comparison
from pdedsl.evaluation.report import FORMAT
from pdedsl.io import RunError

ACCURACY = {"value": 0.5, "low": 0.4, "high": 0.6}
REPORT = {"format": FORMAT, "name": "R", "clean": {"accuracy": ACCURACY}, "equation": "pde P", "audits": []}
REPORT |= {"robust": [], "transfers": [], "certified": [], "plots": []}


def run(folder: Path, text: str) -> Path:
    (folder / "run" / "evaluation").mkdir(parents=True)
    (folder / "run" / "evaluation" / "report.json").write_text(text)
    return folder / "run"


@pytest.mark.parametrize("name", ["{}/secret", "../../secret", "../evaluation/../../secret", "link.png"])
def test_plots_outside_the_run_evaluatedare_not_included(name: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("c2VjcmV0")
    evaluated = run(tmp_path, json.dumps(REPORT | {"plots": [[name.format(tmp_path), "a"], ["own.png", "b"]]}))
    (evaluated / "evaluation" / "link.png").symlink_to(secret)
    (evaluated / "evaluation" / "own.png").write_bytes(b"own")
    write_comparison([evaluated], tmp_path / "page.html", tmp_path / "tables.tex")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.count("<img") == 1
    assert "b3du" in page  # own
    assert "50.0 %" in page


@pytest.mark.parametrize(
    "text",
    [
        "",
        pytest.param("[" * 100_000, id="deep"),
        "[]",
        "{}",
        json.dumps({"format": FORMAT}),
        json.dumps(REPORT | {"clean": 3}),
    ]
    + [json.dumps(REPORT | {key: [{}]}) for key in ("robust", "transfers", "certified", "plots", "audits")],
)
def test_invalid_reports_are_rejected(text: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="evaluate the run"):
        write_comparison([run(tmp_path, text)], tmp_path / "page.html", None)
    assert not (tmp_path / "page.html").exists()


def test_one_table_per_certificate_and_scope(tmp_path: Path) -> None:
    """Two radii of one certificate are rows of one table; another scope is another table."""
    one = {
        "certificate": "gaussian(n=9)",
        "sound": True,
        "scope": "of A",
        "accuracies": [[0, ACCURACY], [0.25, ACCURACY]],
    }
    evaluated = run(tmp_path, json.dumps(REPORT | {"certified": [one, one | {"scope": "of B"}]}))
    write_comparison([evaluated], tmp_path / "page.html", tmp_path / "tables.tex")
    page = (tmp_path / "page.html").read_text("utf-8")
    for scope in ("of A", "of B"):
        assert page.count(f"gaussian(n=9): {scope}</h2>") == 1
        assert page.count(f"gaussian(n=9): {scope}</a>") == 1  # in the table of contents
    assert page.count("50.0 % [40.0, 60.0]") == 5
    assert "of A" in (tmp_path / "tables.tex").read_text("utf-8")


def test_latex_comments_are_escaped(tmp_path: Path) -> None:
    one = {"certificate": "c\n\\input{secret}", "sound": True, "scope": "", "accuracies": [[0, ACCURACY]]}
    evaluated = run(tmp_path, json.dumps(REPORT | {"certified": [one]}))
    write_comparison([evaluated], tmp_path / "page.html", tmp_path / "tables.tex")
    written = (tmp_path / "tables.tex").read_text("utf-8").splitlines()
    assert [text[0] for text in written if "input" in text] == ["%"]


def test_suspicious_audits_mark_their_accuracies(tmp_path: Path) -> None:
    """In the norm of the audit only; in the LaTeX tables as well."""
    robust = [{"attack": f"pgd(norm={norm})", "norm": norm, "accuracy": ACCURACY} for norm in ("inf", "2")]
    verdicts = [{"norm": n, "eps": 0.1, "masked": n == "2", "verdict": "v"} for n in ("inf", "2")]
    evaluated = run(tmp_path, json.dumps(REPORT | {"robust": robust, "audits": verdicts}))
    write_comparison([evaluated], tmp_path / "page.html", tmp_path / "tables.tex")
    for name, percent in (("page.html", "%"), ("tables.tex", r"\%")):
        text = (tmp_path / name).read_text("utf-8")
        assert text.count("(gradient masking?)") == 1
        assert text.index("norm=inf") < text.index("norm=2") < text.index(f"{percent} [40.0, 60.0] (gradient masking?)")


def test_reports_of_format_2_are_read(tmp_path: Path) -> None:
    """Written with other names of some fields, as by version 0.1."""
    transfer = {"attack": "pgd", "maker": "A", "taker": "B", "accuracy": ACCURACY, "maker_accuracy": ACCURACY}
    certified = {"certificate": "lipschitz", "sound": True, "claim": "of A", "accuracies": [[0.25, ACCURACY]]}
    old = {key: value for key, value in REPORT.items() if key not in ("audits", "plots")} | {
        "format": 2,
        "robust": [{"attack": "pgd", "norm": "inf", "accuracy": ACCURACY, "doubt": "v"}],
        "doubts": [{"norm": "inf", "eps": 0.1, "masked": True, "verdict": "suspicious"}],
        "transfers": [transfer],
        "certified": [certified],
        "pictures": [["own.png", "plot"]],
    }
    evaluated = run(tmp_path, json.dumps(old))
    (evaluated / "evaluation" / "own.png").write_bytes(b"own")
    write_comparison([evaluated], tmp_path / "page.html", None)
    page = (tmp_path / "page.html").read_text("utf-8")
    for text in ("pgd, A → B", "lipschitz: of A", "ε = 0.1: suspicious", "(gradient masking?)", "b3du"):
        assert text in page


def test_a_full_disk_raises_and_keeps_the_old_page(tmp_path: Path) -> None:
    """The disk is simulated by a limit on the file size."""
    evaluated, page = run(tmp_path, json.dumps(REPORT)), tmp_path / "page.html"
    page.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError, match=r"page\.html"):
            write_comparison([evaluated], page, None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert page.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["page.html", "run"]


def test_the_page_does_not_replace_a_device(tmp_path: Path) -> None:
    """A pipe instead of a device; as root, `-o /dev/null` would replace it by a file."""
    evaluated, pipe = run(tmp_path, json.dumps(REPORT)), tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, tmp_path / "run"):
        with pytest.raises(OSError, match="is not a regular file"):
            write_comparison([evaluated], place, None)
    assert pipe.is_fifo()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pipe", "run"]
