// Solves the problems that `pdedsl compile --to javascript` writes, on grids, in browsers and in Node.
export { estimateError, type ErrorEstimate } from "./estimate.js";
export { Expansion } from "./expansion.js";
export { type Parameter, type Problem, SolveFailed } from "./problem.js";
export { type Options, PREVIEW_TOLERANCE, solve, type Solution } from "./solve.js";
export { Interrupted } from "./stepping.js";
