// The page: the editor on the left, output of the compiler on the right, computed by the worker.
import { editorOf, marked } from "./editor.js";
import { linked, taken } from "./link.js";
import { PANELS } from "./panels.js";

const part = (id) => document.getElementById(id);
const waiting = new Map();
let editor, shared, shown = "problems", last = 0, checks = 0;

// ---- questions to Python

const worker = prepared().then(() => {
  const made = new Worker("worker.js", { type: "module" });
  made.onmessage = heard;
  return made;
});

async function ask(verb, ...args) {
  const id = ++last;
  (await worker).postMessage({ id, verb, args });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function heard({ data: { id, answer, fault } }) {
  const question = waiting.get(id);
  waiting.delete(id);
  if (fault) part("status").textContent = `Something failed: ${fault.split("\n").filter(Boolean).at(-1)}`;
  if (fault) question?.reject(new Error(fault));
  else question?.resolve(answer);
}

// ---- answers

/** Check the text, mark its errors, and renew the panel; an answer that comes too late is dropped. */
async function check() {
  const text = editor.text(), mine = ++checks, start = performance.now();
  const found = { text, ...JSON.parse(await ask("check_json", text)) };
  if (mine !== checks) return;
  if (text !== shared) part("share").textContent = "Copy link";
  marked(editor, text, found.diagnostics);
  const errors = found.diagnostics.filter((d) => d.severity === "error").length;
  const count = found.diagnostics.length - errors;
  const noted = count ? `, ${count} warning${count > 1 ? "s" : ""}` : "";
  const said = errors ? `${errors} error${errors > 1 ? "s" : ""}` : `${found.name}: no errors`;
  part("status").textContent = `${said}${noted}`;
  part("status").dataset.milliseconds = Math.round(performance.now() - start);
  part("status").dataset.checks = mine;
  await show(text, found, mine);
}

async function show(text, found, mine) {
  const panel = PANELS[shown];
  const answer = panel.verb ? await ask(panel.verb, text) : found;
  if (mine === checks) part("panel").replaceChildren(...panel.draw(answer, found, editor));
}

function tabs() {
  for (const [name, panel] of Object.entries(PANELS)) {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.role = "tab";
    tab.id = `tab-${name}`;
    tab.textContent = panel.title;
    tab.addEventListener("click", () => choose(name));
    part("tabs").append(tab);
  }
}

function choose(name) {
  shown = name;
  for (const tab of part("tabs").children) tab.setAttribute("aria-selected", String(tab.id === `tab-${name}`));
  part("panel").setAttribute("aria-labelledby", `tab-${name}`);
  if (editor) check();
}

// ---- the page

async function prepared() {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  try {
    await navigator.serviceWorker.register("offline.js");
    const taken = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
    const late = new Promise((resolve) => setTimeout(resolve, 2000));
    if (!navigator.serviceWorker.controller) await Promise.race([taken, late]);
  } catch {
    // without a service worker the page works, but not offline
  }
}

function gallery(specs) {
  for (const spec of specs) part("gallery").append(new Option(`${spec.name}: ${spec.title}`, spec.name));
  part("gallery").addEventListener("change", () => {
    editor.replace(specs.find((spec) => spec.name === part("gallery").value).text);
  });
}

async function start() {
  const { specs, keywords } = await (await fetch("gallery.json")).json();
  gallery(specs);
  const given = await taken(location.hash);
  const first = specs.find((spec) => spec.name === "enresnet") ?? specs[0];
  part("gallery").value = given === null ? first.name : "";
  const asked = (verb) => (at) => ask(verb, editor.text(), at);
  editor = editorOf(part("editor"), given ?? first.text, keywords, check, asked("hover_json"), asked("completion_json"));
  for (const [id, ascii] of [["unicode", false], ["ascii", true]]) {
    part(id).addEventListener("click", async () => editor.replace(await ask("format_text", editor.text(), ascii)));
  }
  part("share").addEventListener("click", share);
  window.addEventListener("hashchange", async () => {
    const text = await taken(location.hash);
    if (text !== null && text !== editor.text()) editor.replace(text);
  });
  await check();
}

async function share() {
  shared = editor.text();
  history.replaceState(null, "", await linked(shared));
  try {
    await navigator.clipboard.writeText(location.href);
    part("share").textContent = "Link copied";
  } catch {
    part("share").textContent = "The address holds the spec";
  }
}

tabs();
choose("problems");
start();
