"""The MCP server end to end over standard input and output, and its tools."""

from __future__ import annotations

import asyncio
import json
import sys
from math import exp, pi

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from pdedsl.mcp import tools
from pdedsl.sources import shipped_specs

HEAT = shipped_specs()["heat"].read_text("utf-8")
DECAY = exp(-0.1 * pi**2)  # of the first mode in the unit time


def test_tools_over_the_protocol() -> None:
    async def session() -> tuple[set[str], dict[str, object]]:
        server = StdioServerParameters(command=sys.executable, args=["-m", "pdedsl", "mcp"])
        async with Client(stdio_client(server)) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            result = await client.call_tool("solve", {"spec": HEAT, "points": [[0.5, 1.0]]})
            return names, json.loads(result.content[0].text)

    names, solved = asyncio.run(session())
    assert names == {"check", "fix", "explain", "solve", "crosscheck"}
    assert solved["values"] == [[pytest.approx(DECAY, rel=1e-4)]]  # the default tolerance
    assert solved["verdict"] == "holds"


def test_check_has_the_diagnostics_of_the_command() -> None:
    wrong = tools.check(HEAT.replace("κΔu", "kapa Δu"))
    assert not wrong["ok"]
    assert wrong["diagnostics"][0]["code"] == "E201"
    assert wrong["diagnostics"][0]["fixes"]
    assert tools.check(HEAT)["equations"][0]["class"] == "diffusion"


def test_fix_applies_unambiguous_fixes() -> None:
    fixed = tools.fix(HEAT.replace("κΔu", "kapa Δu").replace("require", "requires"))
    assert fixed["ok"], fixed["report"]
    assert fixed["applied"]
    assert tools.check(fixed["text"])["ok"]


def test_explain_and_refusals() -> None:
    assert "linearity" in tools.explain(HEAT)["axioms"]
    backward = HEAT.replace("= κΔu", "= -κΔu")
    for tool in (tools.explain, tools.solve, tools.crosscheck):
        assert next(d["code"] for d in tool(backward)["diagnostics"] if d["severity"] == "error") == "E418"


def test_solve_reports_wrong_points() -> None:
    assert "ok" in (found := tools.solve(HEAT, points=[[0.5]]))
    assert not found["ok"]


def test_networks_of_the_user_are_not_imported() -> None:
    text = shipped_specs()["resnet"].read_text("utf-8").replace("resnet(depth=20)", 'torch("antigravity:Net")')
    tools.check(text)
    assert not tools.solve(text)["ok"]
    assert "antigravity" not in sys.modules


@pytest.mark.slow
def test_crosscheck() -> None:
    found = tools.crosscheck(HEAT)
    assert found["agrees"]
    assert all(pair["agrees"] for pair in found["pairs"])
