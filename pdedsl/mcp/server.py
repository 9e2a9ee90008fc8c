"""The server of the Model Context Protocol, https://modelcontextprotocol.io, with the tools of `tools`."""

from __future__ import annotations

from mcp.server import MCPServer

from pdedsl import __version__
from pdedsl.mcp.tools import TOOLS

INSTRUCTIONS = """\
pdedsl is a declarative language for partial differential equations. A spec is a text such as

pde Heat
space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = 0.1Δu
u(x, 0) = sin(π x)
u = 0 on boundary

Check a spec before solving it. Every error has a code, a location and a suggested fix; `fix` applies unambiguous ones.
"""


def create_server() -> MCPServer[None]:
    server: MCPServer[None] = MCPServer("pdedsl", version=__version__, instructions=INSTRUCTIONS)
    for tool in TOOLS:
        server.add_tool(tool)
    return server
