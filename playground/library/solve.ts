// Solve a problem on one grid: values at all times, and estimates of the errors in space and in time.
import { CollocationSystem, collocationAxes } from "./collocation.js";
import { coefficientMatrices, Expansion, nodalCoefficients } from "./expansion.js";
import { ExponentialSteps, type FourierAxis, fourierAxes, FourierSystem } from "./fourier.js";
import { NewtonSteps, TABLEAUX } from "./implicit.js";
import { type ChebyshevProblem, type FourierProblem, type Problem, SolveFailed } from "./problem.js";
import { integrateAdaptively, type StepControl, type TimeHistory } from "./stepping.js";

const ETDRK_ORDER = 4;
const CORNER_RTOL = 1e-6; // error per step relative to an incompatibility of initial and boundary data
const MAX_NEWTON_ITERATIONS = 50;
const STATIONARY_RTOL = 1e-12; // of the Newton step relative to the solution
const MAX_STEPS = 200_000;
const PREVIEW_NEWTON_RTOL = 1e-6;

export interface Options {
  /** Points per axis; by default those of the spec. */
  n?: number | number[];
  /** Values of the parameters, by default those of the spec. */
  parameters?: readonly number[];
  /** Tolerance of the steps in time, by default that of the scheme. */
  tolerance?: number;
  /** A picture only: a loose tolerance, few points of slow grids, and an L-stable method of order 2 instead of Radau IIA. */
  preview?: boolean;
  maxSteps?: number;
  progress?: (fraction: number) => boolean;
}

export interface Solution {
  problem: Problem;
  expansion: Expansion;
  /** Points per axis, steps in time, and Newton iterations of a stationary problem. */
  sizes: number[];
  steps: number;
  rounds: number;
  /** Sum of the error estimates of the steps, and relative norm of the omitted coefficients. */
  timeError: number;
  decay: number;
  milliseconds: number;
  note: string;
  at(x: number[], t?: number, component?: number): number;
}

/** The tolerance of a picture. */
export const PREVIEW_TOLERANCE = 2e-3;
const PREVIEW_INTERPOLATION = 2e-3; // of frames between the steps
const PREVIEW_CORNER_RTOL = 1e-3; // as CORNER_RTOL
const PREVIEW_POINTS = 16; // per axis: implicit steps in two dimensions are the slowest, and need a picture in half a second

export function solve(problem: Problem, options: Options = {}): Solution {
  const start = performance.now(), n = options.n ?? problem.n;
  const chosen = typeof n === "number" ? problem.axes.map(() => n) : n;
  const isSlow = problem.scheme !== "fourier" && problem.time !== null && problem.axes.length > 1;
  const sizes = options.preview && isSlow ? chosen.map((k) => Math.min(k, PREVIEW_POINTS)) : chosen;
  const p = options.parameters ?? problem.parameters.map((q) => q.value);
  const found = problem.scheme === "fourier" ? solveFourier(problem, sizes, p, options) : solveChebyshev(problem, sizes, p, options);
  const { expansion } = found;
  if (!expansion.coefficients.every((c) => c.every(Number.isFinite))) throw new SolveFailed("the values are not finite");
  return {
    ...found, problem, sizes,
    decay: Math.max(...expansion.decays().map((d) => d.tail)),
    milliseconds: performance.now() - start,
    at: (x, t = problem.time?.end ?? 0, component = 0) => expansion.at(x, t, component),
  };
}

type Found = Pick<Solution, "expansion" | "steps" | "rounds" | "timeError" | "note">;

function control(problem: Problem, options: Options, order: number, extrapolated: boolean, minError: number): StepControl {
  return {
    order, extrapolated, minError,
    tolerance: options.tolerance ?? (options.preview ? PREVIEW_TOLERANCE : problem.tolerance),
    maxSteps: options.maxSteps ?? MAX_STEPS,
    interpolation: options.preview ? PREVIEW_INTERPOLATION : undefined,
    progress: options.progress,
  };
}

/** The length of the time interval, and the time after an elapsed time: backward from the end for terminal data. */
function clock(problem: Problem): { length: number; at: (s: number) => number } {
  const { start, end, backward } = problem.time!;
  return { length: end - start, at: backward ? (s) => end - s : (s) => start + s };
}

/** In increasing time. */
function ordered(problem: Problem, history: TimeHistory, coefficients: Float64Array[]): [number[], Float64Array[]] {
  const { at } = clock(problem), times = history.times.map(at);
  return problem.time!.backward ? [times.reverse(), coefficients.reverse()] : [times, coefficients];
}

// ---- Fourier grids

function solveFourier(problem: FourierProblem, sizes: number[], p: readonly number[], options: Options): Found {
  const axes = fourierAxes(problem, sizes), system = new FourierSystem(problem, axes, p);
  const modes = axes.map((a) => 2 * a.half - 1).join(" × "), count = problem.components.length;
  if (!problem.differential.length) {
    const { state } = system.stationary();
    const expansion = new Expansion(axes, [0], [realCoefficients(problem, system, state)], count);
    const note = `Fourier series with ${modes} modes, division by the symbol`;
    return { expansion, steps: 0, rounds: 1, timeError: 0, note };
  }
  const { length, at } = clock(problem);
  const stepper = new ExponentialSteps(system, length, at, problem.time!.backward);
  const history = integrateAdaptively(stepper, system.initial(), length, control(problem, options, ETDRK_ORDER, true, 0));
  const states = history.states.map((w, k) => realCoefficients(problem, system, system.allVariables(w, at(history.times[k]))));
  const [times, coefficients] = ordered(problem, history, states);
  const note = `Fourier series with ${modes} modes, ETDRK4 in time: ${history.steps} steps`;
  return {
    expansion: new Expansion(axes, times, coefficients, count), steps: history.steps, rounds: 0,
    timeError: history.error, note,
  };
}

/** The coefficients of the components for 1, cos, …, sin, … on each axis. */
function realCoefficients(problem: FourierProblem, system: FourierSystem, state: Float64Array): Float64Array {
  const { grid, axes } = system, { modes } = grid, imaginary = state.length / 2;
  const counts = axes.map((a) => 2 * a.half - 1), block = counts.reduce((a, b) => a * b, 1);
  const out = new Float64Array(problem.components.length * block);
  problem.components.forEach(({ variable }, c) => {
    const re = state.subarray(variable * modes, (variable + 1) * modes);
    const im = state.subarray(imaginary + variable * modes, imaginary + (variable + 1) * modes);
    const own = out.subarray(c * block, (c + 1) * block);
    if (axes.length === 1) {
      own[0] = re[0];
      for (let k = 1; k < modes; k++) (own[k] = 2 * re[k], own[modes - 1 + k] = -2 * im[k]);
      return;
    }
    twoDimensional(axes, re, im, own);
  });
  return out;
}

function twoDimensional([first, last]: FourierAxis[], re: Float64Array, im: Float64Array, out: Float64Array): void {
  const { half } = first, h = last.half, width = 2 * h - 1, k0 = 2 * half - 1;
  for (let l = 0; l < h; l++) {
    const twice = l ? 2 : 1;
    for (let k = 0; k < half; k++) {
      const a = k * h + l, b = k ? (k0 - k) * h + l : -1; // wave numbers k and -k
      const cr = re[a] + (b < 0 ? 0 : re[b]), ci = im[a] + (b < 0 ? 0 : im[b]);
      out[k * width + l] = twice * cr;
      if (l) out[k * width + h - 1 + l] = -2 * ci;
      if (!k) continue;
      const row = (half - 1 + k) * width;
      out[row + l] = twice * (im[b] - im[a]);
      if (l) out[row + h - 1 + l] = -2 * (re[a] - re[b]);
    }
  }
}

// ---- Chebyshev grids

function solveChebyshev(problem: ChebyshevProblem, sizes: number[], p: readonly number[], options: Options): Found {
  const axes = collocationAxes(problem, sizes), system = new CollocationSystem(problem, axes, p);
  const matrices = coefficientMatrices(axes), { count } = system;
  const kinds = [...new Set(axes.map((a) => (a.kind === "fourier" ? "Fourier" : "Chebyshev")))].join("-");
  const text = `${kinds} collocation on ${system.shape.join(" × ")} nodes`;
  const coefficientsOf = (w: Float64Array): Float64Array => {
    const out = new Float64Array(problem.components.length * count);
    problem.components.forEach(({ variable }, c) =>
      out.set(nodalCoefficients(axes, w.subarray(variable * count, (variable + 1) * count), matrices), c * count));
    return out;
  };
  const components = problem.components.length;
  if (!problem.differential.length) {
    const { state, rounds } = system.newton(MAX_NEWTON_ITERATIONS, STATIONARY_RTOL);
    const expansion = new Expansion(axes, [0], [coefficientsOf(state)], components);
    return { expansion, steps: 0, rounds, timeError: 0, note: `${text}, ${rounds} Newton iteration${rounds > 1 ? "s" : ""}` };
  }
  const name = options.preview ? "sdirk2" : problem.integrator, tableau = TABLEAUX[name];
  const { length, at } = clock(problem), initial = system.initial(at(0));
  if (system.violatesData(initial, at(0))) throw new SolveFailed("the initial values violate the boundary conditions");
  const jump = system.cornerJump(initial, at(0)), rtol = options.preview ? PREVIEW_CORNER_RTOL : CORNER_RTOL;
  const stepper = new NewtonSteps(system, length, at, tableau, options.preview ? PREVIEW_NEWTON_RTOL : undefined);
  const history = integrateAdaptively(stepper, initial, length, control(problem, options, tableau.order, false, rtol * Math.min(1, jump)));
  const states = history.states.map(coefficientsOf);
  if (problem.differential.length < problem.variables) states[0] = withAlgebraic(problem, states, count);
  const [times, coefficients] = ordered(problem, history, states);
  const note = `${text}, ${name} (order ${tableau.order}) in time: ${history.steps} steps`;
  return {
    expansion: new Expansion(axes, times, coefficients, components), steps: history.steps, rounds: 0,
    timeError: history.error, note: jump ? `${note}; initial and boundary data are incompatible` : note,
  };
}

/** Algebraic components take their values after the first step as initial values. */
function withAlgebraic(problem: ChebyshevProblem, states: Float64Array[], count: number): Float64Array {
  const first = states[0].slice();
  problem.components.forEach(({ variable }, c) => {
    if (!problem.differential.includes(variable)) first.set(states[1].subarray(c * count, (c + 1) * count), c * count);
  });
  return first;
}
