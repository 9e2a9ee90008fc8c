// Fourier pseudospectral method on a periodic box (pdedsl.solvers.grid.fourier): dŵ/dt = L(k) ŵ + N̂(w), by
// exponential time differencing (Cox, Matthews 2002; Krogstad 2005), or division by the symbol if nothing evolves.
//
// A state holds the coefficients of the variables on the modes |k| < half of each axis, with k ≥ 0 on the last one: all
// real parts, then all imaginary parts.
import { type ComplexArray, complexZeros } from "./array.js";
import { transform } from "./fft.js";
import { type FourierProblem, type Jet, SolveFailed } from "./problem.js";
import type { Stepper } from "./stepping.js";

export interface FourierAxis {
  kind: "fourier";
  start: number;
  period: number;
  half: number;
}

// ---- Grid

const MIN_PLANNED_SIZE = 512;
const SMOOTH = [2, 3, 5, 7];

/** The length of the transforms of an axis; the same as in pdedsl, so that aliasing errors agree. */
function fastLength(least: number): number {
  if (least < MIN_PLANNED_SIZE) return least;
  const isSmooth = (n: number): boolean => {
    for (const p of SMOOTH) while (n % p === 0) n /= p;
    return n === 1;
  };
  for (let n = least; ; n++) for (const p of [44, 52]) if (n % p === 0 && isSmooth(n / p)) return n;
}

export class FourierGrid {
  readonly counts: number[]; // of modes on each axis
  readonly sizes: number[]; // of points on each axis of the fine grid
  readonly modes: number;
  readonly points: number;
  private readonly factors = new Map<string, Float64Array>();

  constructor(readonly axes: FourierAxis[], fine: number) {
    const last = axes.length - 1;
    this.counts = axes.map((a, k) => (k === last ? a.half : 2 * a.half - 1));
    this.sizes = axes.map((a) => fine * a.half);
    if (axes.length === 1) this.sizes[0] = fastLength(this.sizes[0]);
    this.modes = this.counts.reduce((a, b) => a * b, 1);
    this.points = this.sizes.reduce((a, b) => a * b, 1);
  }

  /** The coordinates of all points of the fine grid. */
  coordinates(): Float64Array[] {
    return this.axes.map((axis, k) => {
      const line = Float64Array.from({ length: this.sizes[k] }, (_, j) => axis.start + (axis.period * j) / this.sizes[k]);
      const inner = this.sizes.slice(k + 1).reduce((a, b) => a * b, 1);
      return Float64Array.from({ length: this.points }, (_, i) => line[Math.floor(i / inner) % this.sizes[k]]);
    });
  }

  private frequency(axis: number, index: number): number {
    const { half, period } = this.axes[axis];
    const k = index < half ? index : index - (2 * half - 1);
    return k * ((2 * Math.PI) / period);
  }

  /** ∏ κ^α on the modes; ∂^α is this times i^|α|. */
  powers(orders: number[]): Float64Array {
    const key = orders.join();
    let values = this.factors.get(key);
    if (!values) {
      values = new Float64Array(this.modes).fill(1);
      const inner = this.counts[1] ?? 1;
      for (let i = 0; i < this.modes; i++) {
        const places = this.axes.length === 1 ? [i] : [Math.floor(i / inner), i % inner];
        places.forEach((place, k) => (values![i] *= this.frequency(k, place) ** orders[k]));
      }
      this.factors.set(key, values);
    }
    return values;
  }

  /** to += number · ∂^α from, for coefficients at an offset of a state. */
  addDerivative(
    to: ComplexArray, toOffset: number, from: ComplexArray, offset: number, orders: number[], number: number,
  ): void {
    const powers = this.powers(orders), turn = orders.reduce((a, b) => a + b, 0) % 4;
    const sign = turn === 1 || turn === 2 ? -1 : 1;
    for (let i = 0; i < this.modes; i++) {
      const f = number * powers[i], re = from.re[offset + i], im = from.im[offset + i];
      if (turn % 2 === 0) {
        to.re[toOffset + i] += sign * f * re;
        to.im[toOffset + i] += sign * f * im;
      } else {
        to.re[toOffset + i] += sign * f * im;
        to.im[toOffset + i] -= sign * f * re;
      }
    }
  }

  /** The values on the fine grid of coefficients at an offset. */
  values(from: ComplexArray, offset: number): Float64Array {
    return this.axes.length === 1 ? this.values1(from, offset) : this.values2(from, offset);
  }

  private values1(from: ComplexArray, offset: number): Float64Array {
    const n = this.sizes[0], re = new Float64Array(n), im = new Float64Array(n);
    re[0] = from.re[offset];
    for (let k = 1; k < this.modes; k++) {
      re[k] = re[n - k] = from.re[offset + k];
      im[k] = from.im[offset + k];
      im[n - k] = -im[k];
    }
    transform(re, im, 1);
    return re;
  }

  private values2(from: ComplexArray, offset: number): Float64Array {
    const [n0, n1] = this.sizes, [k0, h] = this.counts, half = this.axes[0].half;
    const columns = complexZeros(n0 * h), re = new Float64Array(n0), im = new Float64Array(n0);
    for (let l = 0; l < h; l++) {
      re.fill(0);
      im.fill(0);
      for (let k = 0; k < k0; k++) {
        const place = k < half ? k : n0 - (k0 - k);
        re[place] = from.re[offset + k * h + l];
        im[place] = from.im[offset + k * h + l];
      }
      transform(re, im, 1);
      for (let i = 0; i < n0; i++) (columns.re[i * h + l] = re[i], columns.im[i * h + l] = im[i]);
    }
    // Two real rows a, b at once, as the transform of A + iB.
    const out = new Float64Array(n0 * n1), zr = new Float64Array(n1), zi = new Float64Array(n1);
    for (let i = 0; i < n0; i += 2) {
      const a = i * h, b = i + 1 < n0 ? a + h : -1;
      zr.fill(0);
      zi.fill(0);
      zr[0] = columns.re[a];
      zi[0] = b < 0 ? 0 : columns.re[b];
      for (let l = 1; l < h; l++) {
        const ar = columns.re[a + l], ai = columns.im[a + l];
        const br = b < 0 ? 0 : columns.re[b + l], bi = b < 0 ? 0 : columns.im[b + l];
        zr[l] = ar - bi;
        zi[l] = ai + br;
        zr[n1 - l] = ar + bi;
        zi[n1 - l] = br - ai;
      }
      transform(zr, zi, 1);
      out.set(zr, i * n1);
      if (b >= 0) out.set(zi, (i + 1) * n1);
    }
    return out;
  }

  /** The coefficients of values on the fine grid, truncated to the modes. */
  coefficients(values: Float64Array, to: ComplexArray, offset: number): void {
    if (this.axes.length === 1) {
      const n = this.sizes[0], re = values.slice(), im = new Float64Array(n);
      transform(re, im, -1);
      for (let k = 0; k < this.modes; k++) (to.re[offset + k] = re[k] / n, to.im[offset + k] = im[k] / n);
      return;
    }
    const [n0, n1] = this.sizes, [k0, h] = this.counts, half = this.axes[0].half, scale = 1 / (n0 * n1);
    const rows = complexZeros(n0 * h), zr = new Float64Array(n1), zi = new Float64Array(n1);
    for (let i = 0; i < n0; i += 2) {
      const several = i + 1 < n0;
      zr.set(values.subarray(i * n1, (i + 1) * n1));
      if (several) zi.set(values.subarray((i + 1) * n1, (i + 2) * n1));
      else zi.fill(0);
      transform(zr, zi, -1);
      for (let l = 0; l < h; l++) {
        const m = (n1 - l) % n1, a = i * h + l;
        rows.re[a] = (zr[l] + zr[m]) / 2;
        rows.im[a] = (zi[l] - zi[m]) / 2;
        if (several) (rows.re[a + h] = (zi[l] + zi[m]) / 2, rows.im[a + h] = (zr[m] - zr[l]) / 2);
      }
    }
    const re = new Float64Array(n0), im = new Float64Array(n0);
    for (let l = 0; l < h; l++) {
      for (let i = 0; i < n0; i++) (re[i] = rows.re[i * h + l], im[i] = rows.im[i * h + l]);
      transform(re, im, -1);
      for (let k = 0; k < k0; k++) {
        const place = k < half ? k : n0 - (k0 - k), o = offset + k * h + l;
        to.re[o] = re[place] * scale;
        to.im[o] = im[place] * scale;
      }
    }
  }
}

// ---- Discretization

const split = (w: Float64Array): ComplexArray => ({ re: w.subarray(0, w.length / 2), im: w.subarray(w.length / 2) });

export function fourierAxes(problem: FourierProblem, sizes: number[]): FourierAxis[] {
  return problem.fourierAxes.map(({ start, period, copies }, k) => ({
    kind: "fourier", start, period, half: Math.max(2, Math.floor((sizes[k] * copies) / 2)),
  }));
}

/** The system in Fourier space: rows of right-hand sides, then of constraints; columns of all variables. */
export class FourierSystem {
  readonly grid: FourierGrid;
  readonly algebraic: number[];
  private readonly entries: (ComplexArray | null)[][];
  private readonly coordinates: Float64Array[];
  private readonly elimination: (ComplexArray | null)[] | null; // p = Σ elimination · w
  private readonly pressure: (ComplexArray | null)[] | null; // p = Σ pressure · R

  constructor(readonly problem: FourierProblem, readonly axes: FourierAxis[], readonly p: readonly number[]) {
    const { differential, variables } = problem;
    this.grid = new FourierGrid(axes, problem.oversampling);
    this.coordinates = this.grid.coordinates();
    this.algebraic = Array.from({ length: variables }, (_, k) => k).filter((k) => !differential.includes(k));
    const rows = differential.length + this.algebraic.length;
    this.entries = Array.from({ length: rows }, () => new Array<ComplexArray | null>(variables).fill(null));
    const one: ComplexArray = { re: new Float64Array(this.grid.modes).fill(1), im: new Float64Array(this.grid.modes) };
    const numbers = problem.coefficients(p);
    problem.linear.forEach(([row, variable, orders], k) => {
      const entry = (this.entries[row][variable] ??= complexZeros(this.grid.modes));
      this.grid.addDerivative(entry, 0, one, 0, orders, numbers[k]);
    });
    [this.elimination, this.pressure] = differential.length ? this.eliminate() : [null, null];
  }

  /** One algebraic variable p: E p + C w = 0 determines it, or C w = 0 is kept by p = -(CG)⁺ C R (Chorin 1968). */
  private eliminate(): [(ComplexArray | null)[] | null, (ComplexArray | null)[] | null] {
    const { differential } = this.problem;
    if (!this.algebraic.length) return [null, null];
    const own = this.entries[differential.length], [a] = this.algebraic;
    const c = differential.map((k) => own[k]);
    const e = own[a];
    const isDetermined = e !== null && e.re.some((v, k) => v !== 0 || e.im[k] !== 0);
    let pivot = e;
    if (!isDetermined) {
      pivot = complexZeros(this.grid.modes);
      differential.forEach((_, row) => {
        const g = this.entries[row][a], own = c[row];
        if (g && own) addProduct(pivot!, own, g);
      });
    }
    const inverse = pseudoInverse(pivot!);
    const rows = c.map((entry) => {
      if (!entry) return null;
      const product = complexZeros(this.grid.modes);
      addProduct(product, entry, inverse);
      return { re: product.re.map((v) => -v), im: product.im.map((v) => -v) };
    });
    return isDetermined ? [rows, null] : [null, rows];
  }

  /** L with the algebraic variable eliminated: a matrix of arrays on the modes. */
  operator(): (ComplexArray | null)[][] {
    const { differential } = this.problem, [a] = this.algebraic;
    return differential.map((_, row) => differential.map((variable, column) => {
      let entry = this.entries[row][variable];
      const more: [ComplexArray | null, ComplexArray | null][] = [];
      if (this.elimination) more.push([this.entries[row][a], this.elimination[column]]);
      if (this.pressure) {
        differential.forEach((_, k) => {
          const g = this.entries[row][a], q = this.pressure![k], own = this.entries[k][variable];
          if (g && q && own) {
            const product = complexZeros(this.grid.modes);
            addProduct(product, q, own);
            more.push([g, product]);
          }
        });
      }
      for (const [g, q] of more) {
        if (!g || !q) continue;
        const sum = entry ? { re: entry.re.slice(), im: entry.im.slice() } : complexZeros(this.grid.modes);
        addProduct(sum, g, q);
        entry = sum;
      }
      return entry;
    }));
  }

  initial(): Float64Array {
    const { differential, initial, oversampling } = this.problem;
    const grid = new FourierGrid(this.axes, Math.max(oversampling, 4));
    const values = differential.map(() => new Float64Array(grid.points));
    initial(values, [], grid.coordinates(), this.problem.time!.start, this.p);
    const w = new Float64Array(2 * differential.length * grid.modes);
    values.forEach((v, k) => grid.coefficients(v, split(w), k * grid.modes));
    return w;
  }

  /** The nonlinear part of the right-hand sides, projected onto the constraint. */
  nonlinear(w: Float64Array, time: number): Float64Array {
    const values = this.rawNonlinear(w, time), { differential } = this.problem, [a] = this.algebraic;
    if (!this.pressure) return values;
    const modes = this.grid.modes, parts = split(values), q = complexZeros(modes);
    this.pressure.forEach((entry, k) => entry && addProductAt(q, 0, entry, parts, k * modes, modes));
    differential.forEach((_, row) => {
      const g = this.entries[row][a];
      if (g) addProductAt(parts, row * modes, g, q, 0, modes);
    });
    return values;
  }

  private rawNonlinear(w: Float64Array, time: number): Float64Array {
    const { problem, grid } = this, { fluxes, differential } = problem;
    const all = this.elimination ? split(this.allVariables(w, time)) : split(w);
    const place = (variable: number): number => (this.elimination ? variable : differential.indexOf(variable));
    const jets = problem.nonlinearJets.map(([variable, orders]: Jet) => {
      const offset = place(variable) * grid.modes;
      if (orders.every((o) => o === 0)) return grid.values(all, offset);
      const derivative = complexZeros(grid.modes);
      grid.addDerivative(derivative, 0, all, offset, orders, 1);
      return grid.values(derivative, 0);
    });
    const out = Array.from({ length: problem.nonlinearRows }, () => new Float64Array(grid.points));
    problem.nonlinear(out, jets, this.coordinates, time, this.p);
    const result = new Float64Array(2 * differential.length * grid.modes), parts = split(result);
    if (!fluxes) {
      out.forEach((values, k) => grid.coefficients(values, parts, k * grid.modes));
      return result;
    }
    const flux = complexZeros(grid.modes);
    fluxes.forEach(([factor, orders], k) => {
      grid.coefficients(out[k], flux, 0);
      grid.addDerivative(parts, 0, flux, 0, orders, factor);
    });
    return result;
  }

  /** The coefficients of all variables, in their order. */
  allVariables(w: Float64Array, time: number): Float64Array {
    if (!this.algebraic.length) return w;
    const { differential, variables } = this.problem, modes = this.grid.modes, own = split(w);
    const result = new Float64Array(2 * variables * modes), to = split(result);
    differential.forEach((variable, k) => {
      to.re.set(own.re.subarray(k * modes, (k + 1) * modes), variable * modes);
      to.im.set(own.im.subarray(k * modes, (k + 1) * modes), variable * modes);
    });
    const offset = this.algebraic[0] * modes;
    if (this.elimination) {
      this.elimination.forEach((entry, k) => entry && addProductAt(to, offset, entry, own, k * modes, modes));
      return result;
    }
    const right = split(this.rawNonlinear(w, time));
    differential.forEach((_, row) => differential.forEach((variable, column) => {
      const entry = this.entries[row][variable];
      if (entry) addProductAt(right, row * modes, entry, own, column * modes, modes);
    }));
    this.pressure!.forEach((entry, k) => entry && addProductAt(to, offset, entry, right, k * modes, modes));
    return result;
  }

  /** û = -f̂ / L mode by mode; where L vanishes, û is zero. */
  stationary(): { state: Float64Array; residual: number } {
    const { problem, grid } = this;
    if (problem.variables > 1) throw new SolveFailed("Fourier grids of several stationary unknowns are not supported");
    const out = [new Float64Array(grid.points)], source = complexZeros(grid.modes);
    problem.nonlinear(out, [], this.coordinates, 0, this.p);
    grid.coefficients(out[0], source, 0);
    const symbol = this.entries[0][0] ?? complexZeros(grid.modes);
    const inverse = pseudoInverse(symbol), state = new Float64Array(2 * grid.modes), to = split(state);
    addProduct(to, inverse, source);
    for (let k = 0; k < state.length; k++) state[k] = -state[k];
    addProduct(source, symbol, to);
    return { state, residual: Math.max(...source.re.map(Math.abs), ...source.im.map(Math.abs)) };
  }
}

const PINV_RTOL = 1e-15; // of 1 × 1 matrices: only zeros are not inverted

function pseudoInverse(a: ComplexArray): ComplexArray {
  const result = complexZeros(a.re.length);
  for (let k = 0; k < a.re.length; k++) {
    const size = a.re[k] ** 2 + a.im[k] ** 2;
    if (size > PINV_RTOL ** 2) (result.re[k] = a.re[k] / size, result.im[k] = -a.im[k] / size);
  }
  return result;
}

function addProduct(to: ComplexArray, a: ComplexArray, b: ComplexArray): void {
  addProductAt(to, 0, a, b, 0, a.re.length);
}

/** to[o + k] += a[k] b[m + k]. */
function addProductAt(to: ComplexArray, o: number, a: ComplexArray, b: ComplexArray, m: number, count: number): void {
  for (let k = 0; k < count; k++) {
    const ar = a.re[k], ai = a.im[k], br = b.re[m + k], bi = b.im[m + k];
    to.re[o + k] += ar * br - ai * bi;
    to.im[o + k] += ar * bi + ai * br;
  }
}

// ---- Exponential time differencing

const SERIES_TERMS = 16; // 2⁻¹⁶ / 16! is below rounding
const PHI_COUNT = 3;
const FACTORIALS = [1, 1, 2, 6, 24, 120, 720, 5040];
const factorial = (n: number): number => (n < FACTORIALS.length ? FACTORIALS[n] : n * factorial(n - 1));

/** m × m matrices of arrays on the modes, or a diagonal: entry (i, j) at offset (i m + j) · modes. */
class ModeMatrices {
  constructor(readonly m: number, readonly modes: number, readonly diagonal: boolean) {}

  get size(): number {
    return (this.diagonal ? this.m : this.m * this.m) * this.modes;
  }

  zeros(): ComplexArray {
    return complexZeros(this.size);
  }

  identity(): ComplexArray {
    const one = this.zeros();
    for (let k = 0; k < this.m; k++) {
      const offset = (this.diagonal ? k : k * this.m + k) * this.modes;
      one.re.fill(1, offset, offset + this.modes);
    }
    return one;
  }

  multiply(a: ComplexArray, b: ComplexArray): ComplexArray {
    const out = this.zeros(), { m, modes } = this;
    if (this.diagonal) {
      addProduct(out, a, b);
      return out;
    }
    for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) for (let k = 0; k < m; k++) {
      const left = { re: a.re.subarray((i * m + k) * modes), im: a.im.subarray((i * m + k) * modes) };
      addProductAt(out, (i * m + j) * modes, left, b, (k * m + j) * modes, modes);
    }
    return out;
  }

  /** to += matrix · w. */
  addApplied(to: ComplexArray, a: ComplexArray, w: ComplexArray): void {
    const { m, modes } = this;
    if (this.diagonal) {
      addProduct(to, a, w);
      return;
    }
    for (let i = 0; i < m; i++) for (let k = 0; k < m; k++) {
      const left = { re: a.re.subarray((i * m + k) * modes), im: a.im.subarray((i * m + k) * modes) };
      addProductAt(to, i * modes, left, w, k * modes, modes);
    }
  }

  /** The largest modulus, or the largest 1-norm of a matrix. */
  largest(a: ComplexArray): number {
    const { m, modes } = this;
    let largest = 0;
    for (let q = 0; q < modes; q++) for (let j = 0; j < m; j++) {
      let sum = 0;
      for (let i = 0; i < (this.diagonal ? 1 : m); i++) {
        const at = (this.diagonal ? j : i * m + j) * modes + q;
        sum += Math.hypot(a.re[at], a.im[at]);
      }
      largest = Math.max(largest, sum);
    }
    return largest;
  }
}

const scaled = (a: ComplexArray, factor: number): ComplexArray => ({
  re: a.re.map((v) => v * factor), im: a.im.map((v) => v * factor),
});

function accumulate(to: ComplexArray, a: ComplexArray, factor: number): void {
  for (let k = 0; k < to.re.length; k++) (to.re[k] += factor * a.re[k], to.im[k] += factor * a.im[k]);
}

/** φ₀ … φ₃, by their series near 0 and by doubling beyond (Skaflestad, Wright 2009). */
function phiFunctions(z: ComplexArray, algebra: ModeMatrices): ComplexArray[] {
  const largest = algebra.largest(z);
  const doublings = largest > 0 ? Math.max(0, Math.ceil(Math.log2(largest)) + 1) : 0;
  const small = scaled(z, 2 ** -doublings), powers = [algebra.identity()];
  for (let k = 0; k < SERIES_TERMS; k++) powers.push(algebra.multiply(powers[k], small));
  let phis = Array.from({ length: PHI_COUNT + 1 }, (_, k) => {
    const sum = algebra.zeros();
    powers.forEach((power, j) => accumulate(sum, power, 1 / factorial(j + k)));
    return sum;
  });
  for (let n = 0; n < doublings; n++) {
    phis = phis.map((phi, k) => {
      const twice = algebra.multiply(phis[0], phi);
      for (let j = 1; j <= k; j++) accumulate(twice, phis[j], 1 / factorial(k - j));
      return scaled(twice, 0.5 ** k);
    });
  }
  return phis;
}

interface EtdWeights {
  whole: ComplexArray; // e^{hL}
  half: ComplexArray; // e^{hL/2}
  a21: ComplexArray;
  a31: ComplexArray;
  a32: ComplexArray;
  a41: ComplexArray;
  a43: ComplexArray;
  b1: ComplexArray;
  b2: ComplexArray;
  b4: ComplexArray;
}

/** ETDRK4-B (Krogstad 2005); exact if nothing is nonlinear. */
export class ExponentialSteps implements Stepper {
  private readonly algebra: ModeMatrices;
  private readonly symbol: ComplexArray;
  private readonly phis = new Map<number, ComplexArray[]>();
  private readonly weights = new Map<number, EtdWeights>();
  private first: { w: Float64Array; time: number; value: ComplexArray } | null = null;

  constructor(
    private readonly system: FourierSystem, private readonly length: number,
    private readonly physicalTime: (s: number) => number, private readonly backward: boolean,
  ) {
    const operator = system.operator(), m = operator.length, modes = system.grid.modes;
    const isZero = (e: ComplexArray | null): boolean => e === null || !(e.re.some((v) => v) || e.im.some((v) => v));
    const diagonal = operator.every((row, i) => row.every((e, j) => i === j || isZero(e)));
    this.algebra = new ModeMatrices(m, modes, diagonal);
    this.symbol = this.algebra.zeros();
    operator.forEach((row, i) => row.forEach((entry, j) => {
      if (!entry || (diagonal && i !== j)) return;
      const offset = (diagonal ? i : i * m + j) * modes;
      this.symbol.re.set(entry.re, offset);
      this.symbol.im.set(entry.im, offset);
    }));
    if (backward) this.symbol = scaled(this.symbol, -1);
  }

  private phisAt(fraction: number): ComplexArray[] {
    let phis = this.phis.get(fraction);
    if (!phis) this.phis.set(fraction, (phis = phiFunctions(scaled(this.symbol, this.length * fraction), this.algebra)));
    return phis;
  }

  private weightsAt(level: number): EtdWeights {
    let known = this.weights.get(level);
    if (known) return known;
    const h = this.length / 2 ** level, [e, p1, p2, p3] = this.phisAt(2 ** -level);
    const [half, q1, q2] = this.phisAt(2 ** -level / 2);
    const combine = (...terms: [number, ComplexArray][]): ComplexArray => {
      const sum = this.algebra.zeros();
      for (const [factor, phi] of terms) accumulate(sum, phi, h * factor);
      return sum;
    };
    known = {
      whole: e, half,
      a21: combine([0.5, q1]), a31: combine([0.5, q1], [-1, q2]), a32: combine([1, q2]),
      a41: combine([1, p1], [-2, p2]), a43: combine([2, p2]),
      b1: combine([1, p1], [-3, p2], [4, p3]), b2: combine([2, p2], [-4, p3]), b4: combine([-1, p2], [4, p3]),
    };
    this.weights.set(level, known);
    return known;
  }

  private rest(w: Float64Array, time: number): ComplexArray {
    const value = split(this.system.nonlinear(w, this.physicalTime(time)));
    return this.backward ? scaled(value, -1) : value;
  }

  private combination(size: number, ...terms: [ComplexArray, ComplexArray][]): Float64Array {
    const out = new Float64Array(size), parts = split(out);
    for (const [weight, values] of terms) this.algebra.addApplied(parts, weight, values);
    return out;
  }

  step(w: Float64Array, time: number, level: number): Float64Array {
    const own = split(w), n = w.length;
    if (this.system.problem.isLinear) return this.combination(n, [this.phisAt(2 ** -level)[0], own]);
    const k = this.weightsAt(level), h = this.length / 2 ** level;
    if (this.first?.w !== w || this.first.time !== time) this.first = { w, time, value: this.rest(w, time) };
    const n1 = this.first.value;
    const n2 = this.rest(this.combination(n, [k.half, own], [k.a21, n1]), time + h / 2);
    const n3 = this.rest(this.combination(n, [k.half, own], [k.a31, n1], [k.a32, n2]), time + h / 2);
    const n4 = this.rest(this.combination(n, [k.whole, own], [k.a41, n1], [k.a43, n3]), time + h);
    const middle = { re: n2.re.map((v, j) => v + n3.re[j]), im: n2.im.map((v, j) => v + n3.im[j]) };
    return this.combination(n, [k.whole, own], [k.b1, n1], [k.b2, middle], [k.b4, n4]);
  }
}
