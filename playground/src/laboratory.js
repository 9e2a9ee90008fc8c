// Solutions in a web worker: the module of a problem in, values on a grid at equal times out.
import { estimateError, solve } from "../library/index.ts";

const FRAMES = 61; // times of the pictures
const LINE_POINTS = 257; // of pictures in one dimension
const MAP_POINTS = 73; // along each axis, in two

let problem = null;

/** The module is text of the compiler, in which every name is replaced. */
async function load(text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    ({ problem } = await import(address));
  } finally {
    URL.revokeObjectURL(address);
  }
}

const along = (start, end, count) => Float64Array.from({ length: count }, (_, k) => start + ((end - start) * k) / (count - 1));

function picture(solution, time) {
  const count = problem.axes.length > 1 ? MAP_POINTS : LINE_POINTS;
  const points = problem.axes.map(({ start, end }) => along(start, end, count));
  const values = problem.components.map((_, c) => Float32Array.from(solution.expansion.onGrid(points, time, c)));
  return { points, values };
}

function answer(id, solution, stage, options) {
  const { time, components } = problem;
  const at = time ? Math.min(Math.max(options.time ?? time.end, time.start), time.end) : 0;
  const about = { id, stage, note: solution.note, sizes: solution.sizes, milliseconds: solution.milliseconds, steps: solution.steps };
  const first = picture(solution, at);
  self.postMessage({ ...about, kind: "picture", time: at, ...first });
  const times = time ? along(time.start, time.end, FRAMES) : Float64Array.of(0);
  const frames = components.map(() => []), range = components.map(() => ({ low: Infinity, high: -Infinity }));
  for (const t of times) {
    picture(solution, t).values.forEach((values, c) => {
      frames[c].push(values);
      for (const v of values) {
        if (v < range[c].low) range[c].low = v;
        if (v > range[c].high) range[c].high = v;
      }
    });
  }
  self.postMessage({ ...about, kind: "frames", times, points: first.points, frames, range });
}

self.onmessage = async ({ data: { id, module, options, stage, estimate, values } }) => {
  try {
    if (module) await load(module);
    const solution = solve(problem, { ...options, preview: stage === "preview" });
    if (values) {
      const at = values.map((q) => problem.components.map((_, c) =>
        problem.time ? solution.at(q.slice(0, -1), q.at(-1), c) : solution.at(q, 0, c)));
      self.postMessage({ id, kind: "values", values: at });
      return;
    }
    answer(id, solution, stage, options);
    if (estimate) self.postMessage({ id, kind: "estimate", stage, ...estimateError(problem, solution, options) });
  } catch (error) {
    self.postMessage({ id, stage, kind: "failure", reason: error.message });
  }
};
