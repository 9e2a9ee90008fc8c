// Adaptive step size by step doubling: one step of length T / 2^k against two of half the length (Hairer, Nørsett,
// Wanner 1993, II.4), and interpolation in time. The same decisions as in pdedsl.runtime.ode.step_doubling.
import { SolveFailed } from "./problem.js";
import { norm } from "./array.js";

const MAX_LEVEL = 30; // steps of T / 2³⁰ are far below any accuracy limit
const TICKS = 2 ** MAX_LEVEL;
const MIN_LEVEL = 4; // no step is longer than T / 2⁴
const ROUNDING_RTOL = 1e-9; // rounding errors may be this large in an ill-conditioned problem
export const INTERPOLATION_NODES = 8;
const COARSENING_RATIO = 2 ** -(INTERPOLATION_NODES + 2);
const MIN_INTERPOLATION_RTOL = 1e-11;
const INTERPOLATION_FRACTION = 1e-5; // of the tolerance
const FINE_FRACTION = 0.1; // the same for steps shorter than T / 2^10
const COARSE_LEVEL = 10;
const MAX_INTERPOLATION_LEVEL = 13;
const MAX_STORED_ENTRIES = 20_000_000; // of all states

export interface StepControl {
  order: number;
  tolerance: number;
  extrapolated: boolean;
  minError: number;
  maxSteps: number;
  /** Tolerance of interpolation in time; by default a small fraction of that of the steps. */
  interpolation?: number;
  /** Called with the fraction of the interval that is done; false interrupts. */
  progress?: (fraction: number) => boolean;
}

/** A state is a real array; complex coefficients are stored as real parts, then imaginary parts. */
export interface Stepper {
  step(w: Float64Array, time: number, level: number): Float64Array;
}

export interface TimeHistory {
  times: number[];
  states: Float64Array[];
  error: number;
  steps: number;
}

const ticksOf = (level: number): number => 2 ** (MAX_LEVEL - level);

export class Interrupted extends Error {}

export function integrateAdaptively(
  stepper: Stepper, start: Float64Array, length: number, control: StepControl,
): TimeHistory {
  const ends = [0], states = [start], levels: number[] = [], errors: number[] = [];
  const interpolationErrors = new Map<number, number>();
  const fitting = Math.trunc(Math.log2(Math.max(MAX_STORED_ENTRIES / start.length, 1)));
  const finest = Math.min(MAX_INTERPOLATION_LEVEL, Math.max(COARSE_LEVEL, fitting));
  let longest = MIN_LEVEL, level = longest + 2, before = Infinity, tried = 0, size = 0;

  const allowedInterpolation = (at: number): number => {
    if (control.interpolation !== undefined) return control.interpolation;
    const fraction = at < COARSE_LEVEL ? INTERPOLATION_FRACTION : FINE_FRACTION;
    return Math.max(MIN_INTERPOLATION_RTOL, fraction * control.tolerance, control.minError);
  };

  const excessOf = (): Map<number, number> => {
    const count = levels.length, half = INTERPOLATION_NODES / 2, excesses = new Map<number, number>();
    if (count < INTERPOLATION_NODES - 1) return excesses;
    const last = ends[ends.length - 1] === TICKS ? count : count - half + 1;
    const first = count === INTERPOLATION_NODES - 1 ? 0 : count - half;
    const scale = Math.max(2 ** INTERPOLATION_NODES * size, 1e-300);
    for (let k = first; k < last; k++) {
      if (levels[k] > Math.max(longest, finest)) continue;
      const error = interpolationError(k, ends, states, levels) / scale, allowed = allowedInterpolation(levels[k]);
      excesses.set(k, error / allowed);
      if (error > allowed) interpolationErrors.set(k, error);
    }
    return excesses;
  };

  while (ends[ends.length - 1] < TICKS) {
    const end0 = ends[ends.length - 1], begin = (length * end0) / TICKS, state = states[states.length - 1];
    if (++tried > control.maxSteps) throw new SolveFailed(`${control.maxSteps} steps reach only time ${begin}`);
    if (control.progress && !control.progress(end0 / TICKS)) throw new Interrupted();
    const whole = stepper.step(state, begin, level);
    const half = stepper.step(state, begin, level + 1);
    const end = stepper.step(half, begin + length / 2 ** (level + 1), level + 1);
    const gap = new Float64Array(end.length), factor = 1 / (2 ** control.order - 1);
    for (let k = 0; k < gap.length; k++) gap[k] = (end[k] - whole[k]) * factor;
    const error = norm(gap) / Math.max(norm(end), 1e-300);
    if (control.extrapolated) for (let k = 0; k < gap.length; k++) (half[k] += gap[k] / 2), (end[k] += gap[k]);
    const allowed = Math.max(control.tolerance * 2 ** -level, control.minError);
    const stalled = before * 0.5 < error && error < ROUNDING_RTOL;
    if (!(error <= Math.max(allowed, control.tolerance * 1e-4) || stalled)) {
      level++;
      before = error;
      if (level >= MAX_LEVEL) throw new SolveFailed(`step size underflow at time ${begin.toPrecision(4)}`);
      continue;
    }
    ends.push(end0 + ticksOf(level));
    states.push(half, end);
    levels.push(level);
    errors.push(error);
    size = Math.max(size, norm(end));
    before = Infinity;
    const excess = excessOf();
    const missed = [...excess].find(([k, e]) => e > 1 && levels[k] < finest);
    if (missed) {
      const [k, e] = missed;
      const extra = Math.max(1, e < 1e30 ? Math.ceil(Math.log2(e) / INTERPOLATION_NODES) : 2);
      level = longest = Math.min(finest, levels[k] + extra);
      ends.length = k + 1;
      states.length = 2 * k + 1;
      levels.length = errors.length = k;
      for (const j of [...interpolationErrors.keys()]) if (j >= k) interpolationErrors.delete(j);
      continue;
    }
    if (longest > MIN_LEVEL && [...excess].some(([k, e]) => e < COARSENING_RATIO && levels[k] === longest)) longest--;
    const fits = ends[ends.length - 1] % ticksOf(level - 1) === 0;
    if (error * 2 ** (control.order + 2) <= allowed && level > longest && fits) level--;
  }
  const times = [0];
  levels.forEach((level, k) => {
    const begin = (length * ends[k]) / TICKS;
    times.push(begin + length / 2 ** (level + 1), (length * ends[k + 1]) / TICKS);
  });
  const total = errors.reduce((a, b) => a + b, 0) + Math.max(0, ...interpolationErrors.values());
  return { times, states, error: total, steps: 2 * levels.length };
}

/** The norm of the interpolation error in the middle of pair k, by the polynomial through the ends around it. */
function interpolationError(k: number, ends: number[], states: Float64Array[], levels: number[]): number {
  const first = Math.min(Math.max(k - INTERPOLATION_NODES / 2 + 1, 0), ends.length - INTERPOLATION_NODES);
  const nodes = ends.slice(first, first + INTERPOLATION_NODES).map((e) => e - ends[first]);
  const weights = lagrangeWeights(ends[k] + ticksOf(levels[k] + 1) - ends[first], nodes);
  const middle = states[2 * k + 1];
  let sum = 0;
  for (let i = 0; i < middle.length; i++) {
    let value = -middle[i];
    for (let j = 0; j < INTERPOLATION_NODES; j++) value += weights[j] * states[2 * (first + j)][i];
    sum += value * value;
  }
  return Math.sqrt(sum);
}

/** The Lagrange weights of values at nodes, at t. */
export function lagrangeWeights(t: number, nodes: ArrayLike<number>): Float64Array {
  const weights = new Float64Array(nodes.length).fill(1);
  for (let i = 0; i < nodes.length; i++) {
    for (let j = 0; j < nodes.length; j++) if (j !== i) weights[i] *= (t - nodes[j]) / (nodes[i] - nodes[j]);
  }
  return weights;
}
