// A solution as a function: tensor-product expansions at the times of the steps, Lagrange interpolation in between.
import { type AxisDecay, basisFunctions, type BasisAxis, coefficientMatrix, lineDecay, sizeOf } from "./basis.js";
import { multiply, transpose } from "./linalg.js";
import { INTERPOLATION_NODES, lagrangeWeights } from "./stepping.js";

/** Coefficients of all components at all times, (components, K…) for each time. */
export class Expansion {
  constructor(
    readonly axes: BasisAxis[], readonly times: number[], readonly coefficients: Float64Array[],
    readonly components: number,
  ) {}

  /** The coefficients at a time. */
  private atTime(t: number): Float64Array {
    const { times, coefficients } = this;
    if (times.length === 1) return coefficients[0];
    const width = Math.min(INTERPOLATION_NODES, times.length);
    let after = times.findIndex((s) => s > t);
    if (after < 0) after = times.length;
    const first = Math.min(Math.max(after - Math.floor(width / 2), 0), times.length - width);
    const weights = lagrangeWeights(t, times.slice(first, first + width));
    const sum = new Float64Array(coefficients[0].length);
    weights.forEach((weight, k) => {
      const own = coefficients[first + k];
      for (let i = 0; i < sum.length; i++) sum[i] += weight * own[i];
    });
    return sum;
  }

  /** The values of a component at a point. */
  at(x: number[], t = 0, component = 0): number {
    return this.onGrid(x.map((c) => [c]), t, component)[0];
  }

  /** The values of a component on the tensor product of points on each axis, row by row. */
  onGrid(points: ArrayLike<number>[], t = 0, component = 0): Float64Array {
    const counts = this.axes.map(sizeOf), block = counts.reduce((a, b) => a * b, 1);
    let values = this.atTime(t).subarray(component * block, (component + 1) * block);
    const bases = this.axes.map((axis, k) => this.basisAt(axis, points[k]));
    if (this.axes.length === 1) return multiply(bases[0], values, points[0].length, counts[0], 1);
    values = multiply(bases[0], values, points[0].length, counts[0], counts[1]);
    const other = transpose(bases[1], points[1].length, counts[1]);
    return multiply(values, other, points[0].length, counts[1], points[1].length);
  }

  private readonly known = new Map<BasisAxis, { points: ArrayLike<number>; basis: Float64Array }>();

  private basisAt(axis: BasisAxis, points: ArrayLike<number>): Float64Array {
    const known = this.known.get(axis);
    if (known?.points === points) return known.basis;
    const basis = basisFunctions(axis, points);
    this.known.set(axis, { points, basis });
    return basis;
  }

  /** The decay of the coefficients along each axis, over all times. */
  decays(): AxisDecay[] {
    const counts = this.axes.map(sizeOf), block = counts.reduce((a, b) => a * b, 1), { times } = this;
    const weight = (k: number): number =>
      times.length === 1 ? 1 : (times[k + 1] ?? times[k]) - times[k] + times[k] - (times[k - 1] ?? times[k]);
    const last = counts[counts.length - 1];
    return this.axes.map((axis, dim) => {
      const parts: AxisDecay[] = [];
      for (let c = 0; c < this.components; c++) {
        const squares = new Float64Array(counts[dim]);
        this.coefficients.forEach((values, k) => {
          for (let i = 0; i < block; i++) {
            const place = this.axes.length === 1 ? i : dim === 0 ? Math.floor(i / last) : i % last;
            squares[place] += weight(k) * values[c * block + i] ** 2;
          }
        });
        parts.push(lineDecay(axis, squares));
      }
      return { tail: Math.hypot(...parts.map((p) => p.tail)), rate: Math.max(...parts.map((p) => p.rate)) };
    });
  }
}

/** Coefficients of nodal values on tensor-product axes. */
export function nodalCoefficients(axes: BasisAxis[], values: Float64Array, matrices: Float64Array[]): Float64Array {
  const counts = axes.map(sizeOf);
  if (axes.length === 1) return multiply(matrices[0], values, counts[0], counts[0], 1);
  const first = multiply(matrices[0], values, counts[0], counts[0], counts[1]);
  return multiply(first, transpose(matrices[1], counts[1], counts[1]), counts[0], counts[1], counts[1]);
}

export const coefficientMatrices = (axes: BasisAxis[]): Float64Array[] => axes.map(coefficientMatrix);
