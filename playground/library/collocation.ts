// Chebyshev collocation on a box, Fourier collocation on its periodic axes (pdedsl.solvers.grid.chebyshev; Trefethen
// 2000, ch. 13 and 14). Equations hold at the interior nodes; conditions replace the rows next to the boundary.
import { norm } from "./array.js";
import { type BasisAxis, differentiationMatrix, nodesOf, sizeOf } from "./basis.js";
import { Kronecker } from "./kronecker.js";
import { gmres, type LinearSolver, LU, multiply } from "./linalg.js";
import { type Block, type ChebyshevProblem, type FaceCondition, SolveFailed } from "./problem.js";

const AXIS_SHIFT = 1e-8; // relative to the interval: the square root of rounding, for functions like sin(r)/r
const DENSE_UNKNOWNS = 400; // from which on two-dimensional systems are solved iteratively
const MAX_DENSE_UNKNOWNS = 1600; // seconds for a factorization
const GMRES_RTOL = 1e-11; // a Newton iteration corrects the rest
export const MIN_JUMP = 1e-8; // smaller violations of conditions by initial data are rounding errors

/** Rows of R: an expression at the nodes `at`, written to `rows`. */
export interface Rows {
  block: Block;
  variable: number; // of the equation, or the one that the condition replaces
  condition: FaceCondition | null;
  at: Int32Array;
  rows: Int32Array;
  sign: number;
  x: Float64Array[];
}

function take(values: Float64Array, at: Int32Array): Float64Array {
  const out = new Float64Array(at.length);
  for (let i = 0; i < at.length; i++) out[i] = values[at[i]];
  return out;
}

export function collocationAxes(problem: ChebyshevProblem, sizes: number[]): BasisAxis[] {
  return problem.axes.map(({ start, end, periodic }, k) => periodic
    ? { kind: "fourier", start, period: end - start, half: Math.max(2, Math.floor((sizes[k] + 1) / 2)) }
    : { kind: "chebyshev", start, end, n: sizes[k] });
}

export class CollocationSystem {
  readonly shape: number[];
  readonly count: number;
  readonly size: number;
  readonly matrices: Float64Array[];
  readonly coordinates: Float64Array[];
  readonly replacing: Int32Array; // for each row the condition that replaces its equation, or -1
  readonly mass: Float64Array;
  readonly blocks: Rows[];
  private readonly powers = new Map<string, Float64Array>();

  constructor(readonly problem: ChebyshevProblem, readonly axes: BasisAxis[], readonly p: readonly number[]) {
    this.shape = axes.map(sizeOf);
    this.count = this.shape.reduce((a, b) => a * b, 1);
    this.size = problem.variables * this.count;
    this.matrices = axes.map(differentiationMatrix);
    const lines = axes.map(nodesOf);
    for (const [k, upper] of problem.singularFaces) {
      const line = lines[k], last = line.length - 1, shift = AXIS_SHIFT * (line[last] - line[0]);
      if (upper) line[last] -= shift;
      else line[0] += shift;
    }
    const inner = (k: number): number => this.shape.slice(k + 1).reduce((a, b) => a * b, 1);
    this.coordinates = axes.map((_, k) =>
      Float64Array.from({ length: this.count }, (_, i) => lines[k][Math.floor(i / inner(k)) % this.shape[k]]));
    this.replacing = this.replacingConditions();
    this.mass = new Float64Array(this.size);
    for (const k of problem.differential) this.mass.fill(1, k * this.count, (k + 1) * this.count);
    this.replacing.forEach((condition, row) => { if (condition >= 0) this.mass[row] = 0; });
    this.blocks = this.makeBlocks();
  }

  // ---- Rows

  /** Each condition with its rank among the conditions on the same variable and face. */
  ranks(): [condition: number, rank: number][] {
    const { conditions } = this.problem, seen = new Map<string, number>();
    const order = conditions.map((_, k) => k).sort((a, b) => conditions[a].normal - conditions[b].normal || a - b);
    return order.map((k) => {
      const c = conditions[k], key = `${c.axis} ${c.upper} ${c.variable}`, rank = (seen.get(key) ?? -1) + 1;
      seen.set(key, rank);
      return [k, rank];
    });
  }

  /** The nearest face takes precedence, then Dirichlet conditions. */
  private replacingConditions(): Int32Array {
    const { conditions } = this.problem, result = new Int32Array(this.size).fill(-1);
    const ranked = this.ranks().map((pair, place) => ({ pair, place }));
    ranked.sort((a, b) => {
      const [j, r] = a.pair, [k, s] = b.pair, one = conditions[j], other = conditions[k];
      return r - s || one.normal - other.normal || Number(!one.dirichlet) - Number(!other.dirichlet) || a.place - b.place;
    });
    for (const { pair: [k, layer] } of ranked) {
      const c = conditions[k], size = this.shape[c.axis], inner = this.shape.slice(c.axis + 1).reduce((a, b) => a * b, 1);
      const place = c.upper ? size - 1 - layer : layer;
      for (let i = 0; i < this.count; i++) {
        const row = c.replaced * this.count + i;
        if (Math.floor(i / inner) % size === place && result[row] < 0) result[row] = k;
      }
    }
    return result;
  }

  private projection(condition: FaceCondition, node: number): number {
    const size = this.shape[condition.axis], stride = this.shape.slice(condition.axis + 1).reduce((a, b) => a * b, 1);
    const place = Math.floor(node / stride) % size;
    return node + ((condition.upper ? size - 1 : 0) - place) * stride;
  }

  private makeBlocks(): Rows[] {
    const blocks: Rows[] = [], { count } = this;
    const gather = (at: Int32Array): Float64Array[] => this.coordinates.map((x) => take(x, at));
    for (const equation of this.problem.equations) {
      const free: number[] = [];
      for (let i = 0; i < count; i++) if (this.replacing[equation.variable * count + i] < 0) free.push(i);
      const at = Int32Array.from(free), rows = at.map((i) => equation.variable * count + i);
      const { variable, sign } = equation;
      blocks.push({ block: equation, variable, condition: null, at, rows, sign, x: gather(at) });
    }
    this.problem.conditions.forEach((condition, k) => {
      const rows = Int32Array.from([...this.replacing.keys()].filter((row) => this.replacing[row] === k));
      if (!rows.length) return;
      const at = rows.map((row) => this.projection(condition, row % count));
      blocks.push({ block: condition, variable: condition.replaced, condition, at, rows, sign: 1, x: gather(at) });
    });
    return blocks;
  }

  // ---- Derivatives

  /** The matrix of d^order/dx^order along an axis. */
  power(axis: number, order: number): Float64Array {
    const key = `${axis} ${order}`, n = this.shape[axis];
    let matrix = this.powers.get(key);
    if (!matrix) {
      if (order === 0) {
        matrix = new Float64Array(n * n);
        for (let i = 0; i < n; i++) matrix[i * n + i] = 1;
      } else matrix = order === 1 ? this.matrices[axis] : multiply(this.power(axis, order - 1), this.matrices[axis], n, n, n);
      this.powers.set(key, matrix);
    }
    return matrix;
  }

  /** ∂^α of nodal values, axis by axis. */
  derivative(values: Float64Array, orders: number[]): Float64Array {
    let result = values;
    orders.forEach((order, axis) => {
      for (let repeat = 0; repeat < order; repeat++) result = this.applyAlong(this.matrices[axis], result, axis);
    });
    return result;
  }

  private applyAlong(matrix: Float64Array, values: Float64Array, axis: number): Float64Array {
    const n = this.shape[axis], inner = this.shape.slice(axis + 1).reduce((a, b) => a * b, 1);
    if (axis === 0) return multiply(matrix, values, n, n, inner);
    const outer = this.count / n, out = new Float64Array(this.count);
    for (let o = 0; o < outer; o++) {
      const line = values.subarray(o * n, (o + 1) * n);
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0, k = i * n; j < n; j++, k++) sum += matrix[k] * line[j];
        out[o * n + i] = sum;
      }
    }
    return out;
  }

  private jets(w: Float64Array): (block: Block, at: Int32Array) => Float64Array[] {
    const known = new Map<string, Float64Array>(), { count } = this;
    return (block, at) => block.jets.map(([variable, orders]) => {
      const key = `${variable} ${orders.join()}`;
      let values = known.get(key);
      if (!values) {
        values = this.derivative(w.subarray(variable * count, (variable + 1) * count), orders);
        known.set(key, values);
      }
      return take(values, at);
    });
  }

  // ---- R and its Jacobian

  rhs(w: Float64Array, t: number): Float64Array {
    const out = new Float64Array(this.size), jets = this.jets(w);
    for (const { block, at, rows, sign, x } of this.blocks) {
      const value = new Float64Array(at.length);
      if (!at.length) continue;
      block.value([value], jets(block, at), x, t, this.p);
      for (let i = 0; i < rows.length; i++) out[rows[i]] = sign * value[i];
    }
    return out;
  }

  /** The partial derivatives of R with respect to the jets, for each block. */
  partials(w: Float64Array, t: number): Float64Array[][] {
    const jets = this.jets(w);
    return this.blocks.map(({ block, at, sign, x }) => {
      const partials = block.jets.map(() => new Float64Array(at.length));
      if (!partials.length || !at.length) return partials;
      block.partials(partials, jets(block, at), x, t, this.p);
      if (sign < 0) for (const own of partials) for (let i = 0; i < own.length; i++) own[i] = -own[i];
      return partials;
    });
  }

  /** ∂R/∂w, row by row. */
  jacobian(w: Float64Array, t: number): Float64Array {
    const { size, count, shape } = this, result = new Float64Array(size * size), partials = this.partials(w, t);
    this.blocks.forEach(({ block, at, rows }, b) => block.jets.forEach(([variable, orders], j) => {
      const first = this.power(0, orders[0]), own = partials[b][j], offset = variable * count;
      for (let r = 0; r < rows.length; r++) {
        const factor = own[r], base = rows[r] * size + offset;
        if (factor === 0) continue;
        if (shape.length === 1) {
          for (let c = 0, k = at[r] * count; c < count; c++, k++) result[base + c] += factor * first[k];
          continue;
        }
        const second = this.power(1, orders[1]), [n0, n1] = shape;
        const i0 = Math.floor(at[r] / n1), i1 = at[r] % n1;
        for (let c0 = 0; c0 < n0; c0++) {
          const f = factor * first[i0 * n0 + c0];
          if (f !== 0) for (let c1 = 0; c1 < n1; c1++) result[base + c0 * n1 + c1] += f * second[i1 * n1 + c1];
        }
      }
    }));
    return result;
  }

  /** ∂R/∂w · v, for known partial derivatives. */
  applyJacobian(partials: Float64Array[][], v: Float64Array): Float64Array {
    const out = new Float64Array(this.size), jets = this.jets(v);
    this.blocks.forEach(({ block, at, rows }, b) => {
      const values = jets(block, at);
      values.forEach((own, j) => { for (let i = 0; i < rows.length; i++) out[rows[i]] += partials[b][j][i] * own[i]; });
    });
    return out;
  }

  initial(t: number): Float64Array {
    const { differential, initial } = this.problem, w = new Float64Array(this.size);
    const out = differential.map((k) => w.subarray(k * this.count, (k + 1) * this.count));
    if (out.length) initial(out, [], this.coordinates, t, this.p);
    return w;
  }

  /** The largest violation of the conditions by the initial values; 0 up to rounding. */
  cornerJump(w: Float64Array, t: number): number {
    const value = this.rhs(w, t);
    let jump = 0;
    this.replacing.forEach((k, row) => { if (k >= 0) jump = Math.max(jump, Math.abs(value[row])); });
    return jump > MIN_JUMP ? jump : 0;
  }

  /** Whether the initial values violate a condition that the equations contain differentiated in time only. */
  violatesData(w: Float64Array, t: number): boolean {
    const jets = this.jets(w);
    return this.problem.conditions.some((condition, k) => {
      if (!condition.data) return false;
      const rows = [...this.replacing.keys()].filter((row) => this.replacing[row] === k);
      const at = Int32Array.from(rows, (row) => this.projection(condition, row % this.count));
      const value = new Float64Array(at.length), x = this.coordinates.map((c) => take(c, at));
      if (!at.length) return false;
      condition.data.value([value], jets(condition.data, at), x, t, this.p);
      return value.some((v) => Math.abs(v) > MIN_JUMP);
    });
  }

  // ---- Linear systems

  /** A solver of (σ M - J) w = r at a state, for complex σ. */
  solver(w: Float64Array, t: number, sigma: [number, number]): LinearSolver {
    const { size, mass } = this, [re, im] = sigma;
    const direct = this.shape.length === 1 || size <= DENSE_UNKNOWNS;
    const partials = direct ? null : this.partials(w, t);
    const fast = partials ? this.kronecker(partials) : null;
    if (partials && fast) return this.iterative(partials, fast, sigma);
    if (size > MAX_DENSE_UNKNOWNS) throw new SolveFailed(`${size} unknowns exceed the limit of the dense direct solver`);
    const matrix = this.jacobian(w, t);
    for (let k = 0; k < matrix.length; k++) matrix[k] = -matrix[k];
    for (let k = 0; k < size; k++) matrix[k * size + k] += re * mass[k];
    if (im === 0) return new LU(matrix, null, size);
    const imaginary = new Float64Array(size * size);
    for (let k = 0; k < size; k++) imaginary[k * size + k] = im * mass[k];
    return new LU(matrix, imaginary, size);
  }

  private fast: Kronecker | null | undefined;

  private kronecker(partials: Float64Array[][]): Kronecker | null {
    if (this.fast === undefined || (this.fast && !this.fast.matches(partials))) this.fast = Kronecker.of(this, partials);
    return this.fast;
  }

  private iterative(partials: Float64Array[][], fast: Kronecker, [re, im]: [number, number]): LinearSolver {
    const { size, mass } = this;
    if (fast.isExact) return { solve: (r, s) => fast.solve(re, im, r, s) };
    const operator = (v: Float64Array): Float64Array => {
      const image = this.applyJacobian(partials, v);
      for (let k = 0; k < size; k++) image[k] = re * mass[k] * v[k] - image[k];
      return image;
    };
    if (im === 0) {
      return { solve: (r) => [gmres(operator, (v) => fast.solve(re, 0, v, null)[0], r, GMRES_RTOL), null] };
    }
    const join = (a: Float64Array, b: Float64Array | null): Float64Array => {
      const both = new Float64Array(2 * size);
      both.set(a);
      if (b) both.set(b, size);
      return both;
    };
    const complexOperator = (v: Float64Array): Float64Array => {
      const a = v.subarray(0, size), b = v.subarray(size), x = operator(a), y = operator(b);
      for (let k = 0; k < size; k++) (x[k] -= im * mass[k] * b[k], y[k] += im * mass[k] * a[k]);
      return join(x, y);
    };
    const precondition = (v: Float64Array): Float64Array =>
      join(...fast.solve(re, im, v.subarray(0, size), v.subarray(size)));
    return {
      solve: (r, s) => {
        const x = gmres(complexOperator, precondition, join(r, s), GMRES_RTOL);
        return [x.subarray(0, size), x.subarray(size)];
      },
    };
  }

  /** Damped Newton method from zero, for stationary problems. */
  newton(maxIterations: number, rtol: number): { state: Float64Array; rounds: number } {
    let w: Float64Array = new Float64Array(this.size);
    for (let k = 1; k <= maxIterations; k++) {
      const value = this.rhs(w, 0), solver = this.solver(w, 0, [0, 0]);
      const [negative] = solver.solve(value, null); // (-J)⁻¹ R
      let fraction = 1, size = norm(value);
      let trial = w.map((v, i) => v + negative[i]);
      while (fraction > 1e-3 && !(norm(this.rhs(trial, 0)) < size)) {
        fraction /= 2;
        trial = w.map((v, i) => v + fraction * negative[i]);
      }
      if (fraction <= 1e-3) trial = w.map((v, i) => v + negative[i]);
      w = trial;
      if (this.problem.affine || norm(negative) <= rtol * Math.max(norm(w), 1e-300)) {
        const [rest] = this.solver(w, 0, [0, 0]).solve(this.rhs(w, 0), null);
        return { state: w.map((v, i) => v + rest[i]), rounds: k };
      }
    }
    throw new SolveFailed("Newton's method did not converge");
  }
}
