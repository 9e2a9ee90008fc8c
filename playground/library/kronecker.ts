// Fast diagonalization on two-dimensional grids (Lynch, Rice, Thomas 1964): (σ - A₀ ⊗ I - I ⊗ A₁ - c) w = r by the
// eigenvectors of the operators A along each axis, from which Robin conditions have eliminated the boundary values. The
// operator is exact for separable equations with constant coefficients; else its mean is a preconditioner.
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import type { CollocationSystem } from "./collocation.js";
import { invert, LU, multiply, transpose } from "./linalg.js";

const CONSTANT_RTOL = 1e-13; // relative variation of a coefficient that counts as constant
const REAL_RTOL = 1e-9; // relative imaginary part of eigenvalues that counts as rounding

interface AxisOperator {
  n: number;
  interior: number[];
  boundary: number[];
  extension: Float64Array; // boundary × interior: boundary values of interior ones with homogeneous data
  response: Float64Array; // boundary × boundary: boundary values of data
  coupling: Float64Array; // interior × boundary: of the operator
  values: Float64Array;
  vectors: Float64Array;
  inverse: Float64Array;
}

interface VariableOperator {
  axes: [AxisOperator, AxisOperator];
  rate: number;
  differential: boolean;
  corners: { nodes: number[]; lu: LU; rows: { node: number; coefficients: [number, number][] }[] } | null;
}

export class Kronecker {
  private constructor(
    private readonly system: CollocationSystem, private readonly variables: VariableOperator[], readonly isExact: boolean,
    private readonly key: string,
  ) {}

  matches(partials: Float64Array[][]): boolean {
    return keyOf(partials) === this.key;
  }

  /** The operator of a system with one condition on each face of each variable; null for others. */
  static of(system: CollocationSystem, partials: Float64Array[][]): Kronecker | null {
    const { problem } = system;
    if (system.shape.length !== 2 || system.ranks().some(([, rank]) => rank > 0)) return null;
    if (problem.conditions.some((c) => c.variable !== c.replaced)) return null;
    const variables: VariableOperator[] = [];
    let isExact = true;
    for (let v = 0; v < problem.variables; v++) {
      const made = variableOperator(system, partials, v);
      if (!made) return null;
      variables.push(made.operator);
      isExact &&= made.isExact;
    }
    return new Kronecker(system, variables, isExact, keyOf(partials));
  }

  solve(re: number, im: number, r: Float64Array, s: Float64Array | null): [Float64Array, Float64Array | null] {
    const { count } = this.system, needsImaginary = im !== 0 || s !== null;
    const x = new Float64Array(r.length), y = needsImaginary ? new Float64Array(r.length) : null;
    this.variables.forEach((own, v) => {
      const part = (a: Float64Array): Float64Array => a.subarray(v * count, (v + 1) * count);
      const [a, b] = solveVariable(this.system.shape, own, re, im, part(r), s ? part(s) : null, needsImaginary);
      x.set(a, v * count);
      if (y && b) y.set(b, v * count);
    });
    return [x, y];
  }
}

/** Mean coefficients, to which the operator is rounded. */
function keyOf(partials: Float64Array[][]): string {
  return partials.map((block) => block.map((own) => mean(own).toPrecision(3)).join()).join(";");
}

const mean = (a: Float64Array): number => a.reduce((x, y) => x + y, 0) / Math.max(a.length, 1);

function isConstant(a: Float64Array, value: number): boolean {
  return a.every((v) => Math.abs(v - value) <= CONSTANT_RTOL * Math.max(Math.abs(value), 1e-300));
}

function variableOperator(
  system: CollocationSystem, partials: Float64Array[][], variable: number,
): { operator: VariableOperator; isExact: boolean } | null {
  let isExact = true, rate = 0;
  const terms: Map<number, number>[] = [new Map(), new Map()]; // for each axis: order and coefficient
  const faces: { axis: number; upper: boolean; alpha: number; beta: number }[] = [];
  for (const [b, { block, variable: own, condition }] of system.blocks.entries()) {
    if (own !== variable) continue;
    let alpha = 0, beta = 0;
    for (const [j, [of, orders]] of block.jets.entries()) {
      const values = partials[b][j], value = mean(values), axis = orders[0] ? 0 : 1, order = orders[0] + orders[1];
      const isPure = orders[0] === 0 || orders[1] === 0;
      if (of !== variable || !isPure || !isConstant(values, value)) isExact = false;
      if (of !== variable || !isPure) continue;
      if (!condition) {
        if (order === 0) rate += value;
        else terms[axis].set(order, (terms[axis].get(order) ?? 0) + value);
      } else if (order === 0) alpha += value;
      else if (order === 1 && axis === condition.axis) beta += value;
      else return null;
    }
    if (condition) faces.push({ axis: condition.axis, upper: condition.upper, alpha, beta });
  }
  const operators: AxisOperator[] = [];
  for (const axis of [0, 1]) {
    const own = faces.filter((f) => f.axis === axis).sort((a, b) => Number(a.upper) - Number(b.upper));
    if (own.length !== (system.axes[axis].kind === "fourier" ? 0 : 2)) return null;
    const made = axisOperator(system, axis, terms[axis], own);
    if (!made) return null;
    operators.push(made.operator);
    isExact &&= made.isExact;
  }
  const axes = operators as [AxisOperator, AxisOperator];
  const differential = system.problem.differential.includes(variable);
  return { operator: { axes, rate, differential, corners: cornersOf(system, variable, axes, faces) }, isExact };
}

function axisOperator(
  system: CollocationSystem, axis: number, terms: Map<number, number>, faces: { alpha: number; beta: number }[],
): { operator: AxisOperator; isExact: boolean } | null {
  const n = system.shape[axis], boundary = faces.length ? [0, n - 1] : [];
  const interior = Array.from({ length: n }, (_, k) => k).filter((k) => !boundary.includes(k));
  const m = interior.length, q = boundary.length, d = system.matrices[axis];
  const rows = new Float64Array(q * n);
  faces.forEach(({ alpha, beta }, k) => {
    for (let j = 0; j < n; j++) rows[k * n + j] = beta * d[boundary[k] * n + j] + (j === boundary[k] ? alpha : 0);
  });
  let response = new Float64Array(0), extension = new Float64Array(0);
  if (q) {
    const own = Float64Array.from([0, 1, 2, 3], (k) => rows[(k >> 1) * n + boundary[k & 1]]);
    if (Math.abs(own[0] * own[3] - own[1] * own[2]) < 1e-12 * Math.max(...own.map((v) => v * v))) return null;
    response = invert(own, 2) as Float64Array<ArrayBuffer>;
    const inside = new Float64Array(q * m);
    for (let k = 0; k < q; k++) interior.forEach((j, i) => (inside[k * m + i] = -rows[k * n + j]));
    extension = multiply(response, inside, 2, 2, m) as Float64Array<ArrayBuffer>;
  }
  const build = (included: [number, number][]): { matrix: Float64Array; coupling: Float64Array } => {
    const full = new Float64Array(n * n);
    for (const [order, factor] of included) system.power(axis, order).forEach((v, k) => (full[k] += factor * v));
    const matrix = new Float64Array(m * m), coupling = new Float64Array(m * q);
    interior.forEach((i, a) => {
      interior.forEach((j, b) => (matrix[a * m + b] = full[i * n + j]));
      boundary.forEach((j, b) => (coupling[a * q + b] = full[i * n + j]));
    });
    const correction = q ? multiply(coupling, extension, m, q, m) : new Float64Array(m * m);
    for (let k = 0; k < matrix.length; k++) matrix[k] += correction[k];
    return { matrix, coupling };
  };
  for (const included of [[...terms], [...terms].filter(([order]) => order % 2 === 0)]) {
    const { matrix, coupling } = build(included);
    const rowsOf = Array.from({ length: m }, (_, i) => Array.from(matrix.subarray(i * m, (i + 1) * m)));
    const symmetric = system.axes[axis].kind === "fourier" && included.every(([order]) => order % 2 === 0);
    const evd = new EigenvalueDecomposition(new Matrix(rowsOf), { assumeSymmetric: symmetric });
    const values = Float64Array.from(evd.realEigenvalues), largest = Math.max(...values.map(Math.abs), 1e-300);
    if (evd.imaginaryEigenvalues.some((v) => Math.abs(v) > REAL_RTOL * largest)) continue;
    const vectors = Float64Array.from(evd.eigenvectorMatrix.to1DArray());
    let inverse: Float64Array;
    try {
      inverse = symmetric ? transpose(vectors, m, m) : invert(vectors, m);
    } catch {
      return null; // eigenvectors that depend on each other
    }
    const isExact = included.length === terms.size;
    return { operator: { n, interior, boundary, extension, response, coupling, values, vectors, inverse }, isExact };
  }
  return null;
}

/** The equations of the four corners in their unknowns: each row is that of the condition that it replaces. */
function cornersOf(
  system: CollocationSystem, variable: number, axes: [AxisOperator, AxisOperator],
  faces: { axis: number; upper: boolean; alpha: number; beta: number }[],
): VariableOperator["corners"] {
  if (!axes[0].boundary.length || !axes[1].boundary.length) return null;
  const [n0, n1] = system.shape, nodes = [0, n1 - 1, (n0 - 1) * n1, n0 * n1 - 1], matrix = new Float64Array(16);
  const rows = nodes.map((node, k) => {
    const condition = system.problem.conditions[system.replacing[variable * system.count + node]];
    const face = faces.find((f) => f.axis === condition.axis && f.upper === condition.upper)!;
    const n = system.shape[condition.axis], d = system.matrices[condition.axis];
    const place = condition.axis === 0 ? Math.floor(node / n1) : node % n1;
    const coefficients: [number, number][] = [];
    for (let j = 0; j < n; j++) {
      const value = face.beta * d[place * n + j] + (j === place ? face.alpha : 0);
      const at = condition.axis === 0 ? j * n1 + (node % n1) : Math.floor(node / n1) * n1 + j;
      const corner = nodes.indexOf(at);
      if (corner >= 0) matrix[k * 4 + corner] += value;
      else if (value !== 0) coefficients.push([at, value]);
    }
    return { node, coefficients };
  });
  return { nodes, lu: new LU(matrix, null, 4), rows };
}

/** (σ M - J) w = r, where -J w = r at the boundary is α w + β ∂w/∂x = -r. */
function solveVariable(
  [n0, n1]: number[], own: VariableOperator, re: number, im: number,
  r: Float64Array, s: Float64Array | null, needsImaginary: boolean,
): [Float64Array, Float64Array | null] {
  const [a, b] = own.axes, m0 = a.interior.length, m1 = b.interior.length;
  const sr = own.differential ? re : 0, si = own.differential ? im : 0;
  const project = (right: Float64Array): Float64Array => {
    const f = new Float64Array(m0 * m1);
    a.interior.forEach((i, k) => b.interior.forEach((j, l) => (f[k * m1 + l] = right[i * n1 + j])));
    if (a.boundary.length) {
      const data = new Float64Array(2 * m1);
      a.boundary.forEach((i, k) => b.interior.forEach((j, l) => (data[k * m1 + l] = -right[i * n1 + j])));
      const more = multiply(a.coupling, multiply(a.response, data, 2, 2, m1), m0, 2, m1);
      for (let k = 0; k < f.length; k++) f[k] += more[k];
    }
    if (b.boundary.length) {
      const data = new Float64Array(2 * m0);
      b.boundary.forEach((j, l) => a.interior.forEach((i, k) => (data[l * m0 + k] = -right[i * n1 + j])));
      const more = multiply(b.coupling, multiply(b.response, data, 2, 2, m0), m1, 2, m0);
      for (let k = 0; k < m0; k++) for (let l = 0; l < m1; l++) f[k * m1 + l] += more[l * m0 + k];
    }
    return multiply(multiply(a.inverse, f, m0, m0, m1), transpose(b.inverse, m1, m1), m0, m1, m1);
  };
  const fr = project(r), fi = s ? project(s) : needsImaginary ? new Float64Array(m0 * m1) : null;
  for (let k = 0; k < m0; k++) for (let l = 0; l < m1; l++) {
    const d = sr - a.values[k] - b.values[l] - own.rate, q = k * m1 + l;
    if (!fi) {
      fr[q] /= d;
      continue;
    }
    const size = d * d + si * si, x = fr[q], y = fi[q];
    fr[q] = (x * d + y * si) / size;
    fi[q] = (y * d - x * si) / size;
  }
  const extend = (f: Float64Array, right: Float64Array | null): Float64Array => {
    const inside = multiply(multiply(a.vectors, f, m0, m0, m1), transpose(b.vectors, m1, m1), m0, m1, m1);
    const w = new Float64Array(n0 * n1);
    a.interior.forEach((i, k) => b.interior.forEach((j, l) => (w[i * n1 + j] = inside[k * m1 + l])));
    a.boundary.forEach((i, k) => b.interior.forEach((j, l) => {
      let value = 0;
      for (let q = 0; q < m0; q++) value += a.extension[k * m0 + q] * inside[q * m1 + l];
      if (right) a.boundary.forEach((e, q) => (value -= a.response[k * 2 + q] * right[e * n1 + j]));
      w[i * n1 + j] = value;
    }));
    b.boundary.forEach((j, l) => a.interior.forEach((i, k) => {
      let value = 0;
      for (let q = 0; q < m1; q++) value += b.extension[l * m1 + q] * inside[k * m1 + q];
      if (right) b.boundary.forEach((e, q) => (value -= b.response[l * 2 + q] * right[i * n1 + e]));
      w[i * n1 + j] = value;
    }));
    if (own.corners) {
      const known = Float64Array.from(own.corners.rows, ({ node, coefficients }) =>
        coefficients.reduce((sum, [at, value]) => sum - value * w[at], right ? -right[node] : 0));
      const [values] = own.corners.lu.solve(known, null);
      own.corners.nodes.forEach((node, k) => (w[node] = values[k]));
    }
    return w;
  };
  return [extend(fr, r), fi ? extend(fi, s) : null];
}
