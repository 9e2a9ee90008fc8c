// Implicit Runge-Kutta methods for M dw/dt = R(w, t) with singular diagonal M: the stages satisfy
// Σⱼ (A⁻¹)ᵢⱼ M (Wⱼ - w) / h = R(Wᵢ, tᵢ), by Newton's method (Hairer, Wanner 1996, IV.8; pdedsl.runtime.ode.implicit).
import type { CollocationSystem } from "./collocation.js";
import type { LinearSolver } from "./linalg.js";
import { SolveFailed } from "./problem.js";
import type { Stepper } from "./stepping.js";

type Complex = [number, number];

/** A⁻¹ = V T V⁻¹ with lower triangular T: its diagonal, one of each complex pair; V and V⁻¹; T below the diagonal. */
interface Tableau {
  order: number;
  nodes: number[];
  inverse: number[][];
  eigenvalues: Complex[];
  back: Complex[][];
  there: Complex[][];
  coupling: number[][];
  end: number[]; // the step ends at w + Σ end (W - w)
}

const real = (rows: number[][]): Complex[][] => rows.map((row) => row.map((v) => [v, 0]));

/** A diagonally implicit method from its matrix. */
function diagonallyImplicit(order: number, matrix: number[][], end: number[]): Tableau {
  const n = matrix.length, identity = matrix.map((_, i) => matrix.map((_, j) => Number(i === j)));
  const inverse = identity.map((row) => row.slice());
  for (let i = 0; i < n; i++) { // forward substitution
    for (let j = 0; j < i; j++) for (let k = 0; k < n; k++) inverse[i][k] -= matrix[i][j] * inverse[j][k];
    for (let k = 0; k < n; k++) inverse[i][k] /= matrix[i][i];
  }
  return {
    order, inverse, end,
    nodes: matrix.map((row) => row.reduce((a, b) => a + b, 0)),
    eigenvalues: inverse.map((row, i) => [row[i], 0]),
    back: real(identity), there: real(identity),
    coupling: inverse.map((row, i) => row.map((v, j) => (j < i ? v : 0))),
  };
}

const ROOT6 = Math.sqrt(6), GAMMA = 1 - Math.sqrt(0.5);
export const TABLEAUX: Record<string, Tableau> = {
  radau5: {
    order: 5,
    nodes: [(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1],
    inverse: [
      [3.2247448713915885, 1.1678400846904056, -0.253197264742181],
      [-3.5678400846904053, 0.7752551286084111, 1.053197264742181],
      [5.531972647421811, -7.531972647421809, 5],
    ],
    eigenvalues: [[3.637834252744496, 0], [2.681082873627754, 3.0504301992474123]],
    back: [
      [[0.09443876248897537, 0], [0.12845806217830086, -0.0273086547513214]],
      [[0.25021312296533355, 0], [-0.18563595103095715, 0.3482489043965752]],
      [[1, 0], [-0.909403517646862, 0]],
    ],
    there: [
      [[4.178718591551906, 0], [0.3276828207610616, 0], [0.523376445499449, 0]],
      [[2.2975051835980356, 0.27648487452907855], [0.18016359866792747, -1.414073565775634],
        [-0.2620528430183798, 0.32770887359800055]],
    ],
    coupling: [[0, 0], [0, 0]],
    end: [0, 0, 1],
  },
  sdirk2: diagonallyImplicit(2, [[GAMMA, 0], [1 - GAMMA, GAMMA]], [0, 1]),
  implicit_midpoint: diagonallyImplicit(2, [[0.5]], [2]),
};

const MAX_NEWTON_ITERATIONS = 12; // with a Jacobian from an earlier step; then the step is halved
const NEWTON_RTOL = 1e-12; // relative size of the last Newton correction
const SLOW_NEWTON_ITERATIONS = 4; // iterations after which the Jacobian is recomputed for the next step

export class NewtonSteps implements Stepper {
  private readonly solvers = new Map<number, LinearSolver[]>();

  constructor(
    private readonly system: CollocationSystem, private readonly length: number,
    private readonly physicalTime: (s: number) => number, private readonly tableau: Tableau, private readonly rtol = NEWTON_RTOL,
  ) {}

  step(w: Float64Array, time: number, level: number): Float64Array {
    if (!w.every(Number.isFinite)) return w; // the result of a step that failed
    const fresh = !this.solvers.has(level), constant = this.system.problem.constantJacobian;
    if (fresh) this.factor(w, time, level);
    let solution = this.newton(w, time, level);
    if (!solution && !constant && !fresh) {
      this.factor(w, time, level);
      solution = this.newton(w, time, level);
    }
    return solution ?? new Float64Array(w.length).fill(NaN);
  }

  private factor(w: Float64Array, time: number, level: number): void {
    const h = this.length / 2 ** level;
    this.solvers.set(level, this.tableau.eigenvalues.map(([re, im]) =>
      this.system.solver(w, this.physicalTime(time), [re / h, im / h])));
  }

  private newton(w: Float64Array, time: number, level: number): Float64Array | null {
    const { end } = this.tableau, found = this.iterate(w, time, level);
    if (!found) return null;
    const [stages, iterations] = found;
    if (iterations > SLOW_NEWTON_ITERATIONS && !this.system.problem.constantJacobian) this.solvers.delete(level);
    if (end[end.length - 1] === 1) return stages[stages.length - 1];
    return w.map((v, i) => end.reduce((sum, d, k) => sum + d * (stages[k][i] - v), v));
  }

  private iterate(w: Float64Array, time: number, level: number): [Float64Array[], number] | null {
    const stages = this.tableau.nodes.map(() => w.slice()), affine = this.system.problem.constantJacobian;
    let before = Infinity;
    for (let k = 1; k <= MAX_NEWTON_ITERATIONS; k++) {
      let change = 0, total = 0;
      try {
        this.correction(stages, w, time, level).forEach((part, s) => {
          for (let i = 0; i < part.length; i++) {
            stages[s][i] -= part[i];
            change += part[i] ** 2;
            total += stages[s][i] ** 2;
          }
        });
      } catch (error) {
        if (error instanceof SolveFailed) return null;
        throw error;
      }
      const size = Math.sqrt(change) / Math.max(Math.sqrt(total), 1e-300);
      if (size <= this.rtol || (affine && k === 2) || (size < 1e-10 && size > before / 2)) return [stages, k];
      if (!(size < before * (k < 3 ? 2 : 0.5))) return null;
      before = size;
    }
    return null;
  }

  private correction(stages: Float64Array[], w: Float64Array, time: number, level: number): Float64Array[] {
    const h = this.length / 2 ** level, { nodes, inverse, eigenvalues, back, there, coupling } = this.tableau;
    const { mass } = this.system, n = w.length;
    const right = stages.map((s, k) => this.system.rhs(s, this.physicalTime(time + nodes[k] * h)));
    const gaps = right.map((r, i) => {
      const gap = new Float64Array(n);
      for (let q = 0; q < n; q++) {
        let sum = 0;
        if (mass[q]) for (let j = 0; j < stages.length; j++) sum += inverse[i][j] * (stages[j][q] - w[q]);
        gap[q] = (sum * mass[q]) / h - r[q];
      }
      return gap;
    });
    const total = stages.map(() => new Float64Array(n)), solved: Float64Array[] = [];
    eigenvalues.forEach(([, imaginary], k) => {
      const re = new Float64Array(n), im = imaginary ? new Float64Array(n) : null;
      gaps.forEach((gap, j) => {
        const [a, b] = there[k][j];
        for (let q = 0; q < n; q++) {
          re[q] += a * gap[q];
          if (im) im[q] += b * gap[q];
        }
      });
      solved.forEach((other, j) => {
        const c = coupling[k][j];
        if (c) for (let q = 0; q < n; q++) re[q] -= (c * other[q] * mass[q]) / h;
      });
      const [x, y] = this.solvers.get(level)![k].solve(re, im);
      solved.push(x);
      total.forEach((out, i) => {
        const [a, b] = back[i][k], twice = imaginary ? 2 : 1;
        for (let q = 0; q < n; q++) out[q] += twice * (a * x[q] - (y ? b * y[q] : 0));
      });
    });
    return total;
  }
}
