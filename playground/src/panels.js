// Panels beside the text. Text of a spec enters the page as text, never as markup.
function made(tag, text, kind) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

/** The report of the command line, followed by the applicable fixes. */
function problems(_, found, editor) {
  const report = made("pre", found.report || `${found.name}: no errors`);
  const quickFixes = found.diagnostics.flatMap(({ code, fixes }) => fixes.map((fix) => quickFix(code, fix, found, editor)));
  return [report, ...quickFixes];
}

function quickFix(code, { title, edits }, { text }, editor) {
  const button = made("button", `${code}: ${title}`, "fix");
  button.type = "button";
  button.addEventListener("click", () => editor.mend(text, edits));
  return button;
}

function explained(answer, found, editor) {
  const sections = JSON.parse(answer);
  if (!sections.length) return problems(answer, found, editor);
  return sections.flatMap(([title, rows]) => {
    const list = document.createElement("ul");
    list.append(...rows.map((row) => made("li", row.trim())));
    return [made("h2", title), list];
  });
}

function axioms(_, found, editor) {
  if (!found.axioms.length) return problems(_, found, editor);
  const list = document.createElement("dl");
  for (const { name, truth, reason, evidence } of found.axioms) {
    const term = made("dt", `${name.replaceAll("_", " ")}: `);
    term.append(made("span", truth, truth));
    list.append(term, made("dd", reason));
    if (evidence) list.append(made("dd", evidence));
  }
  return [list];
}

/** A click on a term or a block goes to its place in the text, which counts characters. */
function network(answer, found, editor) {
  if (!answer) return problems(answer, found, editor);
  const drawing = document.importNode(new DOMParser().parseFromString(answer, "image/svg+xml").documentElement, true);
  drawing.addEventListener("click", (event) => {
    const place = event.target.closest("[data-start]")?.dataset;
    if (place) editor.select(Number(place.start), Number(place.end));
  });
  return [drawing];
}

function python(answer, found, editor) {
  return answer ? [made("pre", answer)] : problems(answer, found, editor);
}

export const PANELS = {
  solution: { title: "Solution" }, // drawn by solution.js
  problems: { title: "Problems", draw: problems },
  explained: { title: "Explain", verb: "explanation_json", draw: explained },
  axioms: { title: "Axioms", draw: axioms },
  network: { title: "Network", verb: "drawing_svg", draw: network },
  python: { title: "Python", verb: "python_code", draw: python },
};
