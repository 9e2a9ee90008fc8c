"""One language server process for all tests."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    scope="session",
    config=ClientServerConfig(server_command=[sys.executable, "-m", "pdedsl", "lsp"]),
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    capabilities = client_capabilities("visual-studio-code")
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=capabilities, initialization_options={"commands": ["solve"]})
    )
    yield
    await lsp_client.shutdown_session()
