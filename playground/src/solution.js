// The solution of a problem: sliders, pictures, time, and the error estimate. A slider shows a preview at once, solved
// with a loose tolerance; then another worker solves with that of the command line, and estimates the error.
import { drawLines, drawMap, drawSurface } from "./plots.js";

const PERIOD = 6000; // milliseconds for the whole time interval
const PAUSE = 250; // milliseconds without a change before the accurate solve
const VIEWS = { line: "Line", map: "Heat map", surface: "Surface" };

const number = (value) => Number(value.toPrecision(4));

function made(tag, options = {}, ...children) {
  const { text, kind, ...rest } = options, element = Object.assign(document.createElement(tag), rest);
  if (text !== undefined) element.textContent = text;
  if (kind) element.className = kind;
  element.append(...children);
  return element;
}

/** Two workers: a preview is never waited for by a long solve, which a change ends. */
class Solvers {
  constructor(heard) {
    this.heard = heard;
    this.module = null;
    this.start("preview");
    this.start("accurate");
  }

  start(stage) {
    const worker = new Worker("laboratory.js", { type: "module" });
    worker.onmessage = ({ data }) => {
      worker.busy = false;
      this.heard(data);
    };
    worker.loaded = null;
    worker.busy = false;
    this[stage] = worker;
  }

  solve(stage, id, options, estimate = false) {
    const worker = this[stage], module = worker.loaded === this.module ? null : this.module;
    worker.loaded = this.module;
    worker.busy = true;
    worker.postMessage({ id, stage, module, options, estimate });
  }

  cancel() {
    if (!this.accurate.busy) return;
    this.accurate.terminate();
    this.start("accurate");
  }
}

/** `changed(name, value)` is called when a slider is released; `flipped(name)` for a change of sign. */
export function solutionPanel(changed, flipped) {
  const canvas = made("canvas", { kind: "picture", role: "img" });
  const time = made("input", { type: "range", id: "time", min: 0, max: 1, step: "any", value: 1 });
  const clock = made("output", { id: "clock" });
  const play = made("button", { type: "button", id: "play", text: "Pause" });
  const view = made("select", { id: "view" });
  const shownComponent = made("select", { id: "component" });
  const componentLabel = made("label", { kind: "component" }, "Unknown ", shownComponent);
  const sliders = made("div", { kind: "sliders" });
  const estimate = made("p", { id: "estimate", role: "status" });
  const refusal = made("p", { id: "refusal", hidden: true });
  const about = made("pre", { id: "about" });
  const controls = made("div", { kind: "controls" }, made("label", {}, "View ", view), componentLabel, play, made("label", { kind: "time" }, "Time ", time), clock);
  const root = made("div", { kind: "solution" }, refusal, sliders, controls, canvas, estimate, about);

  const state = { problem: null, parameters: [], result: null, instant: null, playing: !matchMedia("(prefers-reduced-motion: reduce)").matches, id: 0, timer: 0, sent: 0, queued: null, waiting: false, valid: true };
  const solvers = new Solvers(heard);

  // ---- Solve

  function request() {
    if (state.waiting) {
      state.queued = true; // the newest values, once the preview under way is there
      return;
    }
    state.waiting = true;
    root.dataset.stage = "solving";
    state.sent = performance.now();
    solvers.cancel();
    clearTimeout(state.timer);
    solvers.solve("preview", ++state.id, { parameters: [...state.parameters], time: now() });
  }

  function accurate() {
    solvers.cancel();
    solvers.solve("accurate", state.id, { parameters: [...state.parameters], time: now() }, true);
  }

  function heard(data) {
    if (data.stage === "preview" && (data.kind === "frames" || data.kind === "failure")) {
      state.waiting = false;
      if (state.queued) {
        state.queued = null;
        if (data.kind === "frames") receive(data);
        request();
        return;
      }
      clearTimeout(state.timer);
      const id = state.id;
      state.timer = setTimeout(() => id === state.id && state.valid && accurate(), PAUSE);
    }
    if (data.id !== state.id || !state.valid) return;
    receive(data);
  }

  function receive(data) {
    if (data.kind === "picture") {
      state.instant = data;
      if (data.stage === "preview") {
        draw();
        root.dataset.latency = String(Math.round(performance.now() - state.sent));
        root.dataset.pictures = String(Number(root.dataset.pictures ?? 0) + 1);
      }
    } else if (data.kind === "frames") {
      state.result = data;
      state.instant = null;
      root.dataset.stage = data.stage;
      estimate.textContent = data.stage === "preview" ? "Preview; the accurate solution follows." : `${data.note}. Estimating the error…`;
      canvas.classList.remove("stale");
      draw();
    } else if (data.kind === "estimate") {
      estimate.textContent = `Estimated relative L2 error ${scientific(data.error)}: coefficients decay to ${scientific(data.decay)}, ` +
        `and the grid with half of the points differs by ${scientific(data.refinement)}. ${state.result.note}.`;
      root.dataset.stage = "estimated";
    } else if (data.kind === "failure") {
      canvas.classList.add("stale");
      root.dataset.stage = "failed";
      estimate.textContent = `No solution: ${data.reason}.`;
    }
  }

  const scientific = (value) => value.toExponential(0).replace("e-", "·10⁻").replace("e+", "·10").replace(/⁻(\d+)/, (_, d) => `⁻${[...d].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join("")}`);

  // ---- Draw

  const now = () => {
    const interval = state.problem?.time;
    return interval ? interval.start + Number(time.value) * (interval.end - interval.start) : 0;
  };

  /** Frames are interpolated linearly: they are closer than pixels. */
  function valuesAt(component) {
    if (state.instant && !state.result) return state.instant.values[component];
    const { times, frames } = state.result;
    if (times.length === 1) return frames[component][0];
    const place = Number(time.value) * (times.length - 1), k = Math.min(Math.floor(place), times.length - 2), f = place - k;
    const a = frames[component][k], b = frames[component][k + 1];
    return a.map((v, i) => (1 - f) * v + f * b[i]);
  }

  function rangeOf(components) {
    if (!state.result) {
      const all = components.flatMap((c) => [...state.instant.values[c]]);
      return { low: Math.min(...all), high: Math.max(...all) };
    }
    const ranges = components.map((c) => state.result.range[c]);
    return { low: Math.min(...ranges.map((r) => r.low)), high: Math.max(...ranges.map((r) => r.high)) };
  }

  function draw() {
    const { problem } = state, source = state.result ?? state.instant;
    if (!problem || !source || !canvas.clientWidth) return;
    if (source.points.length !== problem.axes.length) return;
    const component = Number(shownComponent.value), name = problem.components[component]?.name;
    const chosen = view.value, { axes } = problem, interval = problem.time;
    clock.textContent = interval ? `${interval.name} = ${number(now())}` : "";
    canvas.setAttribute("aria-label", `${VIEWS[chosen]} of the solution ${name} of ${problem.title || problem.name}`);
    if (axes.length === 1 && (chosen === "line" || !interval || !state.result)) {
      const all = problem.components.map((_, c) => c);
      const curves = all.map((c) => ({ name: problem.components[c].name, x: source.points[0], values: valuesAt(c) }));
      const start = state.result && interval ? all.map((c) => state.result.frames[c][interval.backward ? state.result.times.length - 1 : 0]) : null;
      drawLines(canvas, axes[0], curves, rangeOf(all), start);
    } else if (axes.length === 1) {
      const { times, frames, points } = state.result, columns = times.length, rows = points[0].length;
      const values = new Float32Array(rows * columns);
      frames[component].forEach((own, j) => own.forEach((v, i) => (values[i * columns + j] = v)));
      const pair = [axes[0], { name: interval.name, start: interval.start, end: interval.end }];
      const range = rangeOf([component]);
      if (chosen === "map") drawMap(canvas, pair, values, [rows, columns], range, name, { mark: now() });
      else drawSurface(canvas, pair, values, [rows, columns], range, name);
    } else {
      const values = valuesAt(component), shape = source.points.map((p) => p.length), range = rangeOf([component]);
      if (chosen === "map") drawMap(canvas, axes, values, shape, range, name, { equal: true });
      else if (chosen === "surface") drawSurface(canvas, axes, values, shape, range, name);
      else {
        const middle = Math.floor(shape[1] / 2), line = Array.from({ length: shape[0] }, (_, i) => values[i * shape[1] + middle]);
        drawLines(canvas, axes[0], [{ name: `${name}, ${axes[1].name} = ${number(source.points[1][middle])}`, x: source.points[0], values: line }], range, null);
      }
    }
  }

  // ---- Controls

  for (const [value, text] of Object.entries(VIEWS)) view.append(new Option(text, value));
  view.addEventListener("change", draw);
  shownComponent.addEventListener("change", draw);
  time.addEventListener("input", () => {
    setPlaying(false);
    draw();
  });
  play.addEventListener("click", () => setPlaying(!state.playing));
  new ResizeObserver(draw).observe(canvas);

  function setPlaying(playing) {
    state.playing = playing;
    play.textContent = playing ? "Pause" : "Play";
  }

  let last = performance.now();
  function tick(moment) {
    const passed = moment - last;
    last = moment;
    if (state.playing && state.problem?.time && state.result && root.isConnected) {
      time.value = String((Number(time.value) + passed / PERIOD) % 1);
      draw();
    }
    requestAnimationFrame(tick);
  }
  requestAnimationFrame(tick);
  setPlaying(state.playing);

  function makeSliders() {
    sliders.replaceChildren(...state.problem.parameters.map(({ name, low, high }, k) => {
      const id = `slider-${k}`, value = made("output", { htmlFor: id, text: number(state.parameters[k]) });
      const slider = made("input", { type: "range", id, min: low, max: high, step: "any", value: state.parameters[k] });
      slider.dataset.name = name;
      slider.addEventListener("input", () => {
        state.parameters[k] = Number(slider.value);
        value.textContent = String(number(state.parameters[k]));
        if (state.valid) request();
      });
      slider.addEventListener("change", () => changed(name, number(Number(slider.value))));
      const flip = made("button", { type: "button", text: "±", title: `Change the sign of ${name}` });
      flip.setAttribute("aria-label", `Change the sign of ${name}`);
      flip.addEventListener("click", () => flipped(name));
      return made("div", { kind: "slider" }, made("label", { htmlFor: id, text: `${name} =` }), value, slider, flip);
    }));
  }

  const fixed = (text) => text.replace(/^ {2}(parameters|hash|title|name): .*$/gm, "");

  return {
    root,
    draw,
    /** The module of a problem, with its parameters; the same formulas with other values keep the sliders. */
    load(module, problem, time0 = null) {
      const same = solvers.module !== null && fixed(solvers.module) === fixed(module) && state.problem.parameters.length === problem.parameters.length;
      const values = problem.parameters.map((p) => p.value);
      const unchanged = same && state.valid && values.every((v, k) => number(v) === number(state.parameters[k]));
      state.valid = true;
      refusal.hidden = true;
      canvas.classList.remove("stale");
      state.problem = problem;
      if (!same) {
        solvers.module = module;
        state.result = state.instant = null;
        view.value = problem.axes.length > 1 ? "map" : "line";
        for (const option of view.options) option.disabled = problem.axes.length === 1 && !problem.time && option.value !== "line";
        shownComponent.replaceChildren(...problem.components.map(({ name }, k) => new Option(name, String(k))));
        componentLabel.hidden = problem.components.length < 2;
        const timed = problem.time !== null;
        for (const element of [play, time.parentElement, clock]) element.hidden = !timed;
        time.value = String(time0 ?? (timed && state.playing ? 0 : 1));
      }
      const ranges = (p) => JSON.stringify(p.map(({ name, low, high }) => [name, low, high]));
      const keep = same && unchanged && ranges(problem.parameters) === sliders.dataset.ranges;
      state.parameters = values;
      if (!keep) makeSliders();
      sliders.dataset.ranges = ranges(problem.parameters);
      if (unchanged) return;
      state.waiting = false;
      request();
    },
    /** A problem that the compiler or the library refuses. */
    refuse(text, constants) {
      const known = state.problem?.parameters.map((p) => ({ ...p, ...constants[p.name] })) ?? [];
      if (known.length && known.every((p) => p.name in constants)) {
        state.problem = { ...state.problem, parameters: known };
        state.parameters = known.map((p) => p.value);
        makeSliders();
        sliders.dataset.ranges = "";
      }
      state.valid = false;
      state.id++;
      state.waiting = false;
      clearTimeout(state.timer);
      solvers.cancel();
      refusal.textContent = text;
      refusal.hidden = false;
      canvas.classList.add("stale");
      estimate.textContent = "";
      root.dataset.stage = "refused";
    },
    explain(text) {
      about.textContent = text;
    },
  };
}
