// The client: starts `pdedsl lsp` and leaves the rest to it.
"use strict";

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate(context) {
  const [command, ...args] = workspace.getConfiguration("pdedsl").get("server");
  const server = { command, args };
  client = new LanguageClient("pdedsl", "pdedsl", server, { documentSelector: [{ language: "pde" }] });
  const spell = (name) => () => {
    const editor = window.activeTextEditor;
    return editor && client.sendRequest("workspace/executeCommand", { command: name, arguments: [editor.document.uri.toString()] });
  };
  const run = (verb, ...options) => () => {
    const editor = window.activeTextEditor;
    if (!editor) return;
    const terminal = window.terminals.find((each) => each.name === "pdedsl") ?? window.createTerminal("pdedsl");
    terminal.show(true);
    const quoted = `'${editor.document.fileName.replaceAll("'", "'\\''")}'`; // as a shell reads it, without expansion
    terminal.sendText([command, verb, quoted, ...options].join(" "));
  };
  context.subscriptions.push(
    commands.registerCommand("pdedsl.check", run("check")),
    commands.registerCommand("pdedsl.draw", run("draw", "-o", "drawing.svg")),
    commands.registerCommand("pdedsl.solve", run("solve", "-o", "solution")),
    commands.registerCommand("pdedsl.writeAscii", spell("pdedsl.ascii")),
    commands.registerCommand("pdedsl.writeUnicode", spell("pdedsl.unicode")),
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`pdedsl: '${command}' does not start (${error.message}). Install it: pip install 'pdedsl[lsp]'`);
  }
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
