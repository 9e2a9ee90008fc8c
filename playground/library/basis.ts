// Expansions on axes: Chebyshev points, polynomials and matrices (Trefethen 2000, ch. 6), Fourier series, and the decay
// of their coefficients (pdedsl.runtime.basis, pdedsl.solvers.grid.resolution).
import type { FourierAxis } from "./fourier.js";

export interface ChebyshevAxis {
  kind: "chebyshev";
  start: number;
  end: number;
  n: number;
}

export type BasisAxis = ChebyshevAxis | FourierAxis;

/** The number of nodes and of coefficients. */
export const sizeOf = (axis: BasisAxis): number => (axis.kind === "chebyshev" ? axis.n : 2 * axis.half - 1);

/** The n extrema of T_{n-1} on [-1, 1], in increasing order. */
export const chebyshevPoints = (n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, k) => Math.sin((Math.PI * (2 * k - (n - 1))) / (2 * (n - 1))));

export function nodesOf(axis: BasisAxis): Float64Array {
  if (axis.kind === "chebyshev") return chebyshevPoints(axis.n).map((x) => axis.start + ((axis.end - axis.start) * (x + 1)) / 2);
  const n = sizeOf(axis);
  return Float64Array.from({ length: n }, (_, k) => axis.start + (axis.period * k) / n);
}

/** The matrix of d/dx at the nodes, row by row. */
export function differentiationMatrix(axis: BasisAxis): Float64Array {
  const n = sizeOf(axis), matrix = new Float64Array(n * n);
  if (axis.kind === "fourier") { // cot and csc formula for an odd number of points
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
      if (i !== j) matrix[i * n + j] = ((Math.PI / axis.period) * ((i - j) % 2 === 0 ? 1 : -1)) / Math.sin((Math.PI * (i - j)) / n);
    }
    return matrix;
  }
  const scale = 2 / (axis.end - axis.start), angle = (k: number): number => (Math.PI * k) / (2 * (n - 1));
  const weight = (k: number): number => (k % 2 === 0 ? 1 : -1) * (k === 0 || k === n - 1 ? 2 : 1);
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      const gap = 2 * Math.sin(angle(i) + angle(j)) * Math.sin(angle(i) - angle(j));
      const entry = weight(i) / weight(j) / gap;
      matrix[i * n + j] = entry * scale;
      sum += entry;
    }
    matrix[i * n + i] = -sum * scale; // constants vanish exactly (Baltensperger 2000)
  }
  return matrix;
}

/** The values of the basis functions at points, (points, K): T₀, T₁, …, or 1, cos, …, sin, …. */
export function basisFunctions(axis: BasisAxis, x: ArrayLike<number>): Float64Array {
  const k = sizeOf(axis), out = new Float64Array(x.length * k);
  for (let i = 0; i < x.length; i++) {
    const row = out.subarray(i * k, (i + 1) * k);
    row[0] = 1;
    if (axis.kind === "chebyshev") {
      const z = (2 * x[i] - axis.start - axis.end) / (axis.end - axis.start);
      if (k > 1) row[1] = z;
      for (let j = 2; j < k; j++) row[j] = 2 * z * row[j - 1] - row[j - 2];
      continue;
    }
    const angle = ((x[i] - axis.start) * 2 * Math.PI) / axis.period;
    for (let j = 1; j < axis.half; j++) {
      row[j] = Math.cos(j * angle);
      row[axis.half - 1 + j] = Math.sin(j * angle);
    }
  }
  return out;
}

/** The matrix from nodal values to coefficients. */
export function coefficientMatrix(axis: BasisAxis): Float64Array {
  const n = sizeOf(axis), matrix = new Float64Array(n * n);
  for (let k = 0; k < n; k++) for (let j = 0; j < n; j++) {
    if (axis.kind === "chebyshev") {
      const halves = (k === 0 || k === n - 1 ? 0.5 : 1) * (j === 0 || j === n - 1 ? 0.5 : 1);
      matrix[k * n + j] = (Math.cos((Math.PI * k * (n - 1 - j)) / (n - 1)) * halves * 2) / (n - 1);
    } else {
      const wave = k < axis.half ? k : k - (axis.half - 1), angle = (2 * Math.PI * wave * j) / n;
      matrix[k * n + j] = ((k === 0 ? 1 : 2) * (k < axis.half ? Math.cos(angle) : Math.sin(angle))) / n;
    }
  }
  return matrix;
}

// ---- Decay of coefficients

const MIN_BLOCK = 4; // coefficients per block: even or odd functions have two that are not zero
const BLOCK_FRACTION = 8; // a block is the last eighth of the coefficients
const MIN_RATE = 0.1; // smallest rate by which the last coefficient is extrapolated

export interface AxisDecay {
  tail: number;
  rate: number;
}

/** Estimated relative L2 norm of the omitted coefficients from the squares of those along an axis. */
export function lineDecay(axis: BasisAxis, squares: Float64Array): AxisDecay {
  let line = squares;
  if (axis.kind === "fourier") { // cosines, then sines without the constant
    line = squares.slice(0, axis.half);
    for (let k = 1; k < axis.half; k++) line[k] += squares[axis.half - 1 + k];
  }
  const total = Math.max(line.reduce((a, b) => a + b, 0), 1e-300), n = line.length;
  const block = Math.max(Math.min(MIN_BLOCK, Math.floor(n / 2)), Math.floor(n / BLOCK_FRACTION));
  const size = (first: number): number =>
    Math.sqrt(line.subarray(Math.max(first, 0), first + block).reduce((a, b) => a + b, 0) / total);
  const before = size(n - 2 * block), last = size(n - block);
  const ratio = Math.min(last / Math.max(before, 1e-300), 1 - block / n);
  const rate = ratio ** (1 / block), tail = (last * ratio) / (1 - ratio);
  const rounding = n * 2.2e-16;
  return axis.kind === "fourier"
    ? { tail: Math.max(tail, rounding), rate: rate ** 0.5 }
    : { tail: Math.max(tail / Math.max(rate, MIN_RATE), rounding), rate };
}
