// The tour: lessons with an exercise each. An exercise is solved when the compiled text has the required errors (none, by
// default) and properties, and its solution the required values; the text itself is not compared.

function made(tag, text, kind) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

/** A paragraph in which text between backticks is code. */
function paragraph(text, kind) {
  const element = made("p", "", kind);
  element.append(...text.split("`").map((part, k) => (k % 2 ? made("code", part) : part)));
  return element;
}

const number = (value) => String(Number(value.toPrecision(4))).replace("-", "−");

/** Values of the solution of a module at points, solved as by the command line. */
class Solver {
  constructor() {
    this.worker = null;
  }

  values(module, points) {
    this.worker?.terminate();
    this.worker = new Worker("laboratory.js", { type: "module" });
    this.worker.postMessage({ id: 0, module, options: {}, stage: "accurate", values: points });
    return new Promise((resolve) => {
      this.worker.onmessage = ({ data }) => resolve(data.values?.map(([first]) => first) ?? []);
    });
  }
}

function isSatisfied({ property, contains, equals, within, above, below }, properties, value) {
  if (property) return properties[property].some((description) => description.includes(contains));
  if (value === undefined || !Number.isFinite(value)) return false;
  return equals === undefined ? above <= value && value <= below : Math.abs(value - equals) <= within;
}

/** The requirements of a lesson with whether each is satisfied: those on errors first. */
async function results(lesson, properties, module, solver) {
  const expected = lesson.require.filter(({ error }) => error).map(({ error }) => error);
  const errors = lesson.require.find(({ error }) => error)?.say ?? "no errors";
  const rows = [{ say: errors, satisfied: properties.error.join() === expected.join() }];
  const others = lesson.require.filter(({ error }) => !error), points = others.flatMap(({ value }) => (value ? [value] : []));
  const values = module && points.length ? await solver.values(module, points) : [];
  for (const requirement of others) {
    const value = requirement.value ? values.shift() : undefined;
    const now = value === undefined ? "" : ` (now ${number(value)})`;
    rows.push({ say: requirement.say + now, satisfied: isSatisfied(requirement, properties, value) });
  }
  return rows;
}

/** The panel of the lessons; `open(lesson)` is called for the lesson chosen, `write(text)` for its first text or answer. */
export function tour(root, lessons, { open, write, close }) {
  const solver = new Solver();
  let current = null, latest = 0;

  const title = made("h2"), body = made("div"), exercise = made("p", "", "exercise"), checks = made("ul", "", "checks");
  const verdict = made("p", "", "verdict");
  verdict.setAttribute("role", "status");
  const list = made("select");
  list.setAttribute("aria-label", "Lesson");
  list.append(...lessons.map(({ name, title }, k) => new Option(`${k + 1}. ${title}`, name)));
  list.addEventListener("change", () => go(list.value));

  function button(text, id, clicked) {
    const element = made("button", text);
    element.type = "button";
    element.id = id;
    element.addEventListener("click", clicked);
    return element;
  }

  const place = () => lessons.indexOf(current);
  const previous = button("Previous", "previous", () => go(lessons[place() - 1].name));
  const next = button("Next", "next", () => go(lessons[place() + 1].name));
  const reset = button("Start again", "reset", () => write(current.spec));
  const answer = button("Show an answer", "answer", () => write(current.answer));
  const leave = button("Close", "close-tour", () => {
    show(null);
    close();
  });
  const row = made("div", "", "row");
  row.append(list, previous, next, leave);
  const help = made("div", "", "row");
  help.append(reset, answer);
  root.replaceChildren(row, title, body, exercise, checks, verdict, help);

  function go(name) {
    show(name);
    open(current);
    write(current.spec);
  }

  function show(name) {
    current = lessons.find((lesson) => lesson.name === name) ?? null;
    latest++;
    root.hidden = current === null;
    document.body.classList.toggle("touring", current !== null);
    if (!current) return;
    list.value = current.name;
    title.textContent = `${place() + 1} of ${lessons.length}: ${current.title}`;
    body.replaceChildren(...current.text.trim().split("\n\n").map((text) => paragraph(text.replaceAll("\n", " "))));
    exercise.replaceChildren(made("strong", "Exercise. "), ...paragraph(current.exercise).childNodes);
    previous.disabled = place() === 0;
    next.disabled = place() === lessons.length - 1;
    checks.replaceChildren();
    verdict.textContent = "";
    delete root.dataset.solved;
    root.scrollTop = 0;
  }

  return {
    go,
    show,
    get lesson() {
      return current;
    },
    /** Judge a text by its properties and the module of its problem, if there is one. */
    async judge(properties, module) {
      if (!current) return;
      const mine = ++latest, rows = await results(current, properties, module, solver);
      if (mine !== latest) return;
      const solved = rows.every(({ satisfied }) => satisfied);
      checks.replaceChildren(...rows.map(({ say, satisfied }) => made("li", `${satisfied ? "✓" : "○"} ${say}`, satisfied ? "proved" : "")));
      verdict.textContent = solved ? "Solved." : "Not solved yet.";
      verdict.classList.toggle("proved", solved);
      root.dataset.solved = String(solved);
    },
  };
}
