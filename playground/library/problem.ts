// The module that `pdedsl compile --to javascript` writes: a boundary value problem, and the data of its scheme.

/** A formula at all points: `jets` are derivatives of unknowns, `x` coordinates, `p` the values of the parameters. */
export type Formula = (
  out: Float64Array[],
  jets: Float64Array[],
  x: Float64Array[],
  t: number,
  p: readonly number[],
) => void;

/** The derivative ∂^α of a variable: its number, and α. */
export type Jet = [variable: number, orders: number[]];

export interface Axis {
  name: string;
  start: number;
  end: number;
  periodic: boolean;
}

export interface Parameter {
  name: string;
  value: number;
  low: number;
  high: number;
}

interface ProblemBase {
  name: string;
  title: string;
  hash: string;
  axes: Axis[];
  time: { name: string; start: number; end: number; backward: boolean } | null;
  components: { name: string; variable: number }[];
  parameters: Parameter[];
  n: number;
  tolerance: number;
  integrator: string;
  variables: number;
  differential: number[];
  initial: Formula;
}

/** ∂w/∂t = L w + N(w): L by its coefficients for each row and derivative, N by a formula or its fluxes. */
export interface FourierProblem extends ProblemBase {
  scheme: "fourier";
  fourierAxes: { start: number; period: number; copies: number }[];
  oversampling: number;
  linear: [row: number, variable: number, orders: number[]][];
  coefficients: (p: readonly number[]) => number[];
  isLinear: boolean;
  autonomous: boolean;
  fluxes: [factor: number, orders: number[]][] | null;
  nonlinearJets: Jet[];
  nonlinearRows: number;
  nonlinear: Formula;
}

/** An expression of jets, and its partial derivatives with respect to them. */
export interface Block {
  jets: Jet[];
  value: Formula;
  partials: Formula;
}

export interface Equation extends Block {
  variable: number;
  sign: number;
}

/** A condition on a face, which replaces rows of the variable `replaced`; `data` is the condition before it was
 * differentiated in time. */
export interface FaceCondition extends Block {
  axis: number;
  upper: boolean;
  variable: number;
  replaced: number;
  normal: number;
  dirichlet: boolean;
  data: Block | null;
}

export interface ChebyshevProblem extends ProblemBase {
  scheme: "chebyshev";
  affine: boolean;
  constantJacobian: boolean;
  autonomous: boolean;
  singularFaces: [axis: number, upper: boolean][];
  equations: Equation[];
  conditions: FaceCondition[];
}

export type Problem = FourierProblem | ChebyshevProblem;

/** A solve failed; the message is the reason. */
export class SolveFailed extends Error {}
