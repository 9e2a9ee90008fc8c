// The page: the editor on the left, output of the compiler on the right, computed by the worker.
import { editorOf, marked } from "./editor.js";
import { linked, taken } from "./link.js";
import { PANELS } from "./panels.js";
import { solutionPanel } from "./solution.js";
import { tour } from "./tour.js";

const part = (id) => document.getElementById(id);
const waiting = new Map();
const LATEX = "E111"; // the code of a line in LaTeX, whose fix is the same line in the language
let editor, lessons, shared, shown = "solution", last = 0, checks = 0, pasted = false, constants = {};
const solution = solutionPanel(setConstant, flipConstant);

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
  if (pasted && mend(text, found.diagnostics)) return;
  pasted = false;
  await Promise.all([show(text, found, mine), laboratory(text, mine)]);
  const address = await linked(text, lessons.lesson?.name);
  if (mine === checks) history.replaceState(null, "", address);
}

/** The solution of a valid text, or the reason why there is none. */
async function laboratory(text, mine) {
  const answer = JSON.parse(await ask("laboratory_json", text));
  if (mine !== checks) return;
  constants = { text, ...answer.constants };
  solution.explain(answer.about ?? "");
  if (answer.module) solution.load(answer.module, answer.problem);
  else solution.refuse(answer.reason, answer.constants);
  if (!lessons.lesson) return;
  const properties = JSON.parse(await ask("properties_json", text));
  if (mine === checks) lessons.judge(properties, answer.module);
}

/** LaTeX that was pasted, in the notation of the language. */
function mend(text, diagnostics) {
  const edits = diagnostics.filter((d) => d.code === LATEX && d.fixes.length).flatMap((d) => d.fixes[0].edits);
  if (!edits.length) return false;
  return editor.mend(text, edits) !== false;
}

// ---- constants of sliders

const VALUE = /(=\s*)(.+?)(\s+in\s*\[\s*)(.+?)(\s*,\s*)(.+?)(\s*\])/u;

/** Rewrite the declaration of a constant with a range. */
function rewrite(name, change) {
  const place = constants[name], text = editor.text();
  if (!place || constants.text !== text) return;
  const declaration = text.slice(place.from, place.to);
  editor.mend(text, [{ from: place.from, to: place.to, insert: declaration.replace(VALUE, change) }]);
}

function setConstant(name, value) {
  rewrite(name, (_, equals, __, ...rest) => `${equals}${value}${rest.slice(0, 5).join("")}`);
}

const negative = (text) => (text.startsWith("-") ? text.slice(1) : Number(text) === 0 ? text : `-${text}`);

/** The negative value, in the negative range. */
function flipConstant(name) {
  rewrite(name, (_, equals, value, open, low, comma, high, close) =>
    `${equals}${negative(value)}${open}${negative(high)}${comma}${negative(low)}${close}`);
}

async function show(text, found, mine) {
  const panel = PANELS[shown];
  if (shown === "solution") {
    if (!solution.root.isConnected) part("panel").replaceChildren(solution.root);
    solution.draw();
    return;
  }
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
  if (name === "solution") part("panel").replaceChildren(solution.root);
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

function gallery(groups) {
  for (const [label, specs] of Object.entries(groups)) {
    const group = document.createElement("optgroup");
    group.label = label;
    group.append(...specs.map((spec) => new Option(spec.title, spec.name)));
    part("gallery").append(group);
  }
  const all = Object.values(groups).flat();
  part("gallery").addEventListener("change", () => {
    const spec = all.find((own) => own.name === part("gallery").value);
    if (spec.module) solution.load(spec.module, spec.problem, 0);
    editor.replace(spec.text);
  });
}

/** The spec of an address: its text, the first text of its lesson, or null. */
function specOf({ lesson, text }) {
  lessons.show(lesson);
  return text ?? lessons.lesson?.spec ?? null;
}

async function start() {
  const { laboratory: solved, lessons: all, specs, keywords } = await (await fetch("gallery.json")).json();
  gallery({ Laboratory: solved, "Shipped specs": specs });
  lessons = tour(part("lesson"), all, {
    open: (lesson) => choose(lesson.panel ?? "solution"),
    write: (text) => (editor.text() === text ? check() : editor.replace(text)),
    close: () => check(),
  });
  const given = specOf(await taken(location.hash)), first = solved[0];
  if (lessons.lesson) choose(lessons.lesson.panel ?? "solution");
  part("gallery").value = given === null ? first.name : "";
  const asked = (verb) => (at) => ask(verb, editor.text(), at);
  const compiled = solved.find(({ text }) => text === (given ?? first.text));
  editor = editorOf(part("editor"), given ?? first.text, keywords, check, asked("hover_json"), asked("completion_json"));
  if (compiled) solution.load(compiled.module, compiled.problem, 0); // compiled with the page: Python is still loading
  editor.view.contentDOM.addEventListener("paste", () => (pasted = true));
  for (const [id, ascii] of [["unicode", false], ["ascii", true]]) {
    part(id).addEventListener("click", async () => editor.replace(await ask("format_text", editor.text(), ascii)));
  }
  part("share").addEventListener("click", share);
  part("tour").addEventListener("click", () => lessons.go(lessons.lesson?.name ?? all[0].name));
  window.addEventListener("hashchange", async () => {
    const text = specOf(await taken(location.hash));
    if (text !== null && text !== editor.text()) editor.replace(text);
  });
  await check();
}

async function share() {
  shared = editor.text();
  history.replaceState(null, "", await linked(shared, lessons.lesson?.name));
  try {
    await navigator.clipboard.writeText(location.href);
    part("share").textContent = "Link copied";
  } catch {
    part("share").textContent = "The address holds the spec";
  }
}

tabs();
choose("solution");
start();
