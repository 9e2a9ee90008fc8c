// Dense linear algebra: LU factorization of real and complex matrices, and GMRES (Saad, Schultz 1986).
import { norm } from "./array.js";
import { SolveFailed } from "./problem.js";

const SINGULAR_PIVOT_RATIO = 1e-14; // smallest to largest pivot below which a matrix counts as singular

/** A solver of (σ M - J) w = r with complex σ: right-hand sides and solutions have an imaginary part or none. */
export interface LinearSolver {
  solve(re: Float64Array, im: Float64Array | null): [Float64Array, Float64Array | null];
}

/** P L U of the matrix with rows scaled to maximum 1; `im` is null for real matrices. */
export class LU implements LinearSolver {
  private readonly pivots: Int32Array;
  readonly scale: Float64Array;

  constructor(private readonly re: Float64Array, private readonly im: Float64Array | null, readonly n: number) {
    this.pivots = new Int32Array(n);
    this.scale = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let largest = 0;
      for (let j = i * n; j < (i + 1) * n; j++) largest = Math.max(largest, im ? Math.hypot(re[j], im[j]) : Math.abs(re[j]));
      const factor = (this.scale[i] = 1 / Math.max(largest, 1e-300));
      for (let j = i * n; j < (i + 1) * n; j++) {
        re[j] *= factor;
        if (im) im[j] *= factor;
      }
    }
    if (im) this.factorComplex(im);
    else this.factorReal();
    let least = Infinity, most = 0;
    for (let k = 0; k < n; k++) {
      const size = im ? Math.hypot(re[k * n + k], im[k * n + k]) : Math.abs(re[k * n + k]);
      least = Math.min(least, size);
      most = Math.max(most, size);
    }
    if (!(least > SINGULAR_PIVOT_RATIO * most)) throw new SolveFailed("the discrete system is singular");
  }

  private swap(a: Float64Array, i: number, j: number): void {
    const n = this.n;
    for (let k = 0; k < n; k++) {
      const kept = a[i * n + k];
      a[i * n + k] = a[j * n + k];
      a[j * n + k] = kept;
    }
  }

  private factorReal(): void {
    const { n, re } = this;
    for (let k = 0; k < n; k++) {
      let pivot = k;
      for (let i = k + 1; i < n; i++) if (Math.abs(re[i * n + k]) > Math.abs(re[pivot * n + k])) pivot = i;
      this.pivots[k] = pivot;
      if (pivot !== k) this.swap(re, k, pivot);
      const inverse = 1 / re[k * n + k], row = re.subarray(k * n, (k + 1) * n);
      for (let i = k + 1; i < n; i++) {
        const own = re.subarray(i * n, (i + 1) * n), factor = (own[k] *= inverse);
        if (factor !== 0) for (let j = k + 1; j < n; j++) own[j] -= factor * row[j];
      }
    }
  }

  private factorComplex(im: Float64Array): void {
    const { n, re } = this;
    const size = (a: number): number => re[a] * re[a] + im[a] * im[a];
    for (let k = 0; k < n; k++) {
      let pivot = k;
      for (let i = k + 1; i < n; i++) if (size(i * n + k) > size(pivot * n + k)) pivot = i;
      this.pivots[k] = pivot;
      if (pivot !== k) (this.swap(re, k, pivot), this.swap(im, k, pivot));
      const d = k * n + k, s = size(d), ir = re[d] / s, ii = -im[d] / s;
      const rowR = re.subarray(k * n, (k + 1) * n), rowI = im.subarray(k * n, (k + 1) * n);
      for (let i = k + 1; i < n; i++) {
        const ownR = re.subarray(i * n, (i + 1) * n), ownI = im.subarray(i * n, (i + 1) * n);
        const fr = ownR[k] * ir - ownI[k] * ii, fi = ownR[k] * ii + ownI[k] * ir;
        ownR[k] = fr;
        ownI[k] = fi;
        if (fr === 0 && fi === 0) continue;
        for (let j = k + 1; j < n; j++) {
          ownR[j] -= fr * rowR[j] - fi * rowI[j];
          ownI[j] -= fr * rowI[j] + fi * rowR[j];
        }
      }
    }
  }

  solve(right: Float64Array, rightIm: Float64Array | null): [Float64Array, Float64Array | null] {
    const { n, re, im, scale, pivots } = this;
    const x = new Float64Array(n), y = im ? new Float64Array(n) : null;
    for (let i = 0; i < n; i++) {
      x[i] = right[i] * scale[i];
      if (y) y[i] = rightIm ? rightIm[i] * scale[i] : 0;
    }
    for (let k = 0; k < n; k++) {
      const j = pivots[k];
      if (j === k) continue;
      [x[k], x[j]] = [x[j], x[k]];
      if (y) [y[k], y[j]] = [y[j], y[k]];
    }
    for (let i = 0; i < n; i++) {
      let a = x[i], b = y ? y[i] : 0;
      for (let j = 0, o = i * n; j < i; j++, o++) {
        a -= re[o] * x[j];
        if (y) (a += im![o] * y[j], b -= re[o] * y[j] + im![o] * x[j]);
      }
      x[i] = a;
      if (y) y[i] = b;
    }
    for (let i = n - 1; i >= 0; i--) {
      let a = x[i], b = y ? y[i] : 0;
      for (let j = i + 1, o = i * n + i + 1; j < n; j++, o++) {
        a -= re[o] * x[j];
        if (y) (a += im![o] * y[j], b -= re[o] * y[j] + im![o] * x[j]);
      }
      const d = i * n + i;
      if (y) {
        const s = re[d] * re[d] + im![d] * im![d];
        x[i] = (a * re[d] + b * im![d]) / s;
        y[i] = (b * re[d] - a * im![d]) / s;
      } else x[i] = a / re[d];
    }
    return [x, y];
  }
}

/** The inverse of a small or medium matrix. */
export function invert(matrix: Float64Array, n: number): Float64Array {
  const lu = new LU(matrix.slice(), null, n), inverse = new Float64Array(n * n), unit = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    unit.fill(0);
    unit[j] = 1;
    const [column] = lu.solve(unit, null);
    for (let i = 0; i < n; i++) inverse[i * n + j] = column[i];
  }
  return inverse;
}

/** a (m × k) times b (k × n). */
export function multiply(a: Float64Array, b: Float64Array, m: number, k: number, n: number): Float64Array {
  const out = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    if (n === 1) {
      let sum = 0;
      for (let l = 0, o = i * k; l < k; l++, o++) sum += a[o] * b[l];
      out[i] = sum;
      continue;
    }
    for (let l = 0, o = i * k; l < k; l++, o++) {
      const factor = a[o];
      if (factor !== 0) for (let j = 0, p = i * n, q = l * n; j < n; j++, p++, q++) out[p] += factor * b[q];
    }
  }
  return out;
}

export function transpose(a: Float64Array, m: number, n: number): Float64Array {
  const out = new Float64Array(m * n);
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) out[j * m + i] = a[i * n + j];
  return out;
}

const MAX_ITERATIONS = 80; // without restarts; a preconditioned evolution step takes about ten

/** GMRES for A x = r with the inverse of a nearby operator as left preconditioner. */
export function gmres(
  apply: (x: Float64Array) => Float64Array, precondition: (r: Float64Array) => Float64Array,
  right: Float64Array, rtol: number,
): Float64Array {
  const n = right.length, first = precondition(right), beta = norm(first), x = new Float64Array(n);
  if (!(beta > 0)) return x;
  const basis = [first.map((v) => v / beta)], h: Float64Array[] = [], cs: number[] = [], sn: number[] = [];
  const g = [beta];
  for (let k = 0; k < MAX_ITERATIONS; k++) {
    const v = precondition(apply(basis[k])), column = new Float64Array(k + 2);
    for (let repeat = 0; repeat < 2; repeat++) {
      for (let j = 0; j <= k; j++) { // modified Gram-Schmidt, twice
        let dot = 0;
        const b = basis[j];
        for (let i = 0; i < n; i++) dot += b[i] * v[i];
        column[j] += dot;
        for (let i = 0; i < n; i++) v[i] -= dot * b[i];
      }
    }
    const size = (column[k + 1] = norm(v));
    for (let j = 0; j < k; j++) {
      const a = column[j], b = column[j + 1];
      column[j] = cs[j] * a + sn[j] * b;
      column[j + 1] = -sn[j] * a + cs[j] * b;
    }
    const r = Math.hypot(column[k], column[k + 1]);
    cs.push(column[k] / r);
    sn.push(column[k + 1] / r);
    column[k] = r;
    h.push(column);
    g.push(-sn[k] * g[k]);
    g[k] *= cs[k];
    const done = Math.abs(g[k + 1]) <= rtol * beta || size === 0;
    if (!done && k + 1 < MAX_ITERATIONS) {
      basis.push(v.map((c) => c / size));
      continue;
    }
    if (!done) throw new SolveFailed("the iterative linear solver did not converge");
    const y = new Float64Array(k + 1);
    for (let i = k; i >= 0; i--) {
      let sum = g[i];
      for (let j = i + 1; j <= k; j++) sum -= h[j][i] * y[j];
      y[i] = sum / h[i][i];
    }
    y.forEach((c, j) => { for (let i = 0; i < n; i++) x[i] += c * basis[j][i]; });
    return x;
  }
  return x;
}
