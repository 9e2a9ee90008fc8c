// The client of `pdedsl lsp`, and commands that run pdedsl and preview its drawings and solutions.
"use strict";

const { execFile } = require("node:child_process");
const { existsSync, mkdtempSync, readFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { basename, join } = require("node:path");
const { ProgressLocation, Uri, ViewColumn, commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const COMMANDS = ["check", "draw", "explain", "solve", "test", "train"]; // that code lenses may name
const PICTURES = ["animation.gif", "solution.png", "error.png"]; // of `pdedsl solve`, the first ones that exist
const MAX_OUTPUT_BYTES = 1 << 26; // of a command: far above the longest explanation

let client;
const panels = new Map(); // by title: the preview of each spec and kind

const program = () => workspace.getConfiguration("pdedsl").get("server")[0];

/** The file of a code lens, or of the active editor, saved. */
async function savedFile(uri) {
  const document = uri ? await workspace.openTextDocument(Uri.parse(uri)) : window.activeTextEditor?.document;
  if (document?.isUntitled === false && document.languageId === "pde") {
    await document.save();
    return document.fileName;
  }
  window.showInformationMessage("pdedsl: open a saved .pde file first.");
  return undefined;
}

/** Runs a command of pdedsl without a shell; the promise has its output and exit code, and can be cancelled. */
function run(args, title) {
  const options = { location: ProgressLocation.Notification, title: `pdedsl ${title}`, cancellable: true };
  return window.withProgress(options, (_, token) => new Promise((resolve) => {
    const child = execFile(program(), args, { maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? 1) : 0, stdout, stderr });
    });
    token.onCancellationRequested(() => child.kill());
  }));
}

/** A panel beside the editor with the given body; the same one when the command is repeated. */
function preview(title, folder, body) {
  let panel = panels.get(title);
  if (!panel) {
    const roots = { localResourceRoots: [Uri.file(folder)] };
    panel = window.createWebviewPanel("pdedsl.preview", title, { viewColumn: ViewColumn.Beside, preserveFocus: true }, roots);
    panel.onDidDispose(() => panels.delete(title));
    panels.set(title, panel);
  }
  panel.webview.options = { localResourceRoots: [Uri.file(folder)] };
  const policy = `default-src 'none'; img-src ${panel.webview.cspSource} data:; style-src 'unsafe-inline'`;
  const style = "body { background: white; color: black; text-align: center } img, svg { max-width: 100%; height: auto } pre { text-align: left }";
  panel.webview.html = `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><style>${style}</style>${body(panel.webview)}`;
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function report(result) {
  const channel = report.channel ?? (report.channel = window.createOutputChannel("pdedsl"));
  channel.append(result.stdout + result.stderr);
  if (result.code !== 0) channel.show(true);
}

async function draw(uri) {
  const file = await savedFile(uri);
  if (!file) return;
  const folder = mkdtempSync(join(tmpdir(), "pdedsl-"));
  const drawing = join(folder, "drawing.svg");
  const result = await run(["draw", file, "-o", drawing], "draw");
  if (result.code !== 0) return report(result);
  preview(`Drawing of ${basename(file)}`, folder, () => readFileSync(drawing, "utf-8"));
}

async function solve(uri) {
  const file = await savedFile(uri);
  if (!file) return;
  const folder = mkdtempSync(join(tmpdir(), "pdedsl-"));
  const result = await run(["solve", file, "-o", join(folder, "solution")], "solve");
  report(result);
  const pictures = PICTURES.map((name) => join(folder, "solution", name)).filter(existsSync);
  if (pictures.length === 0) return;
  const image = (view) => (picture) => `<img src="${view.asWebviewUri(Uri.file(picture))}" alt="${basename(picture)}">`;
  preview(`Solution of ${basename(file)}`, folder, (view) => `${pictures.map(image(view)).join("")}<pre>${escaped(result.stdout)}</pre>`);
}

async function explain(uri) {
  const file = await savedFile(uri);
  if (!file) return;
  const result = await run(["explain", file], "explain");
  if (result.code !== 0) return report(result);
  preview(`Explanation of ${basename(file)}`, tmpdir(), () => `<pre>${escaped(result.stdout)}</pre>`);
}

/** Commands that take long, or whose output is text, run in a terminal. */
const inTerminal = (verb) => async (uri) => {
  const file = await savedFile(uri);
  if (!file) return;
  const terminal = window.terminals.find((each) => each.name === "pdedsl") ?? window.createTerminal("pdedsl");
  terminal.show(true);
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`; // as a shell reads it, without expansion
  terminal.sendText([quoted(program()), verb, quoted(file)].join(" "));
};

const convert = (name) => () => {
  const uri = window.activeTextEditor?.document.uri;
  return uri && client.sendRequest("workspace/executeCommand", { command: name, arguments: [uri.toString()] });
};

async function activate(context) {
  const [command, ...args] = workspace.getConfiguration("pdedsl").get("server");
  client = new LanguageClient("pdedsl", "pdedsl", { command, args }, {
    documentSelector: [{ language: "pde" }],
    initializationOptions: { commands: COMMANDS },
  });
  context.subscriptions.push(
    commands.registerCommand("pdedsl.check", inTerminal("check")),
    commands.registerCommand("pdedsl.draw", draw),
    commands.registerCommand("pdedsl.explain", explain),
    commands.registerCommand("pdedsl.solve", solve),
    commands.registerCommand("pdedsl.test", inTerminal("test")),
    commands.registerCommand("pdedsl.train", inTerminal("train")),
    commands.registerCommand("pdedsl.writeAscii", convert("pdedsl.ascii")),
    commands.registerCommand("pdedsl.writeUnicode", convert("pdedsl.unicode")),
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
