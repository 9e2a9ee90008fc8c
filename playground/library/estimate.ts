// Error estimate of a solution: the decay of its coefficients, and the difference to a grid with half of the points.
import { solve, type Options, type Solution } from "./solve.js";
import type { Problem } from "./problem.js";

const COARSE_TOL_FACTOR = 10; // on the tolerance of the steps for the coarser grid
const POINTS = [0.113, 0.237, 0.359, 0.467, 0.587, 0.691, 0.811, 0.937]; // fractions of the intervals, without symmetry
const MIN_POINTS = 4;

export interface ErrorEstimate {
  /** Estimated relative L2 error. */
  error: number;
  decay: number;
  time: number;
  refinement: number;
}

/** Self-convergence: the difference to the N/2 grid, scaled by the decay of the coefficients (pdedsl.solvers.grid). */
export function estimateError(problem: Problem, fine: Solution, options: Options = {}): ErrorEstimate {
  const tolerance = (options.tolerance ?? problem.tolerance) * COARSE_TOL_FACTOR;
  const n = fine.sizes.map((size) => Math.max(MIN_POINTS, Math.floor(size / 2)));
  const coarse = solve(problem, { ...options, n, tolerance });
  const points = fine.expansion.axes.map((_, k) => {
    const { start, end } = problem.axes[k];
    return POINTS.map((f) => start + f * (end - start));
  });
  const times = problem.time ? POINTS.map((f) => problem.time!.start + f * (problem.time!.end - problem.time!.start)) : [0];
  let difference = 0, size = 0;
  for (let c = 0; c < problem.components.length; c++) for (const t of times) {
    const a = fine.expansion.onGrid(points, t, c), b = coarse.expansion.onGrid(points, t, c);
    a.forEach((v, i) => ((difference += (v - b[i]) ** 2), (size += v * v)));
  }
  const refinement = Math.sqrt(difference / Math.max(size, 1e-300));
  const ratio = Math.min(1, fine.decay / Math.max(coarse.decay, 1e-300));
  const factor = problem.time ? Math.max(ratio, 1 / COARSE_TOL_FACTOR) : ratio;
  return { error: Math.max(refinement * factor, fine.decay), decay: fine.decay, time: fine.timeError, refinement };
}
