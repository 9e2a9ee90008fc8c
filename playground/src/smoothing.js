// Randomized smoothing of a classifier f with two classes in the plane: p(x) = P(f(x + σξ) = 1), ξ ~ N(0, I), the solution
// of the heat equation ∂p/∂t = ½σ²Δp at t = 1 with the decisions of f as initial data; by quadrature, and by sampling with
// a certificate (Cohen, Rosenfeld, Kolter 2019).

// ---- Distributions

/** erfc(z) for z ≥ 0, by the series of erf up to 2 and by its continued fraction beyond (Abramowitz, Stegun 7.1.6, 7.1.14). */
function erfc(z) {
  if (z < 2) {
    let term = z, sum = z;
    for (let k = 1; term > 1e-18 * sum; k++) sum += term *= (2 * z * z) / (2 * k + 1);
    return 1 - (2 * Math.exp(-z * z) * sum) / Math.sqrt(Math.PI);
  }
  let fraction = z;
  for (let k = 80; k > 0; k--) fraction = z + k / 2 / fraction;
  return Math.exp(-z * z) / (fraction * Math.sqrt(Math.PI));
}

/** Φ(z), the distribution function of the standard normal distribution. */
export function normalCdf(z) {
  const tail = 0.5 * erfc(Math.abs(z) / Math.SQRT2);
  return z < 0 ? tail : 1 - tail;
}

function bisected(low, high, isBelow) {
  for (let k = 0; k < 100 && low < high; k++) {
    const middle = 0.5 * (low + high);
    if (middle === low || middle === high) break;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/** Φ⁻¹(p) for 0 < p < 1. */
export const normalQuantile = (p) => (p > 0.5 ? -normalQuantile(1 - p) : bisected(-40, 0, (z) => normalCdf(z) < p));

/** The lower Clopper-Pearson bound (1934): the p with P(Bin(n, p) ≥ count) = alpha. */
export function clopperPearsonLower(count, n, alpha) {
  if (count === 0) return 0;
  const logFactorial = new Float64Array(n + 1);
  for (let k = 2; k <= n; k++) logFactorial[k] = logFactorial[k - 1] + Math.log(k);
  const tail = (p) => {
    let sum = 0;
    for (let k = count; k <= n; k++) {
      sum += Math.exp(logFactorial[n] - logFactorial[k] - logFactorial[n - k] + k * Math.log(p) + (n - k) * Math.log1p(-p));
    }
    return sum;
  };
  return bisected(0, count / n, (p) => tail(p) < alpha);
}

/** Certified ℓ2 radius σ Φ⁻¹(p) of a class with probability p; 0 if p ≤ ½. */
export const radius = (p, sigma) => (p > 0.5 ? sigma * normalQuantile(p) : 0);

/** Standard normal numbers by the polar method, from a 32-bit generator (mulberry32) with a seed. */
export function normals(seed) {
  let state = seed >>> 0, spare = null;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    for (;;) {
      const a = 2 * uniform() - 1, b = 2 * uniform() - 1, s = a * a + b * b;
      if (s === 0 || s >= 1) continue;
      const factor = Math.sqrt((-2 * Math.log(s)) / s);
      spare = b * factor;
      return a * factor;
    }
  };
}

// ---- The network

/** The margin z₁ − z₀ of the logits: explicit Euler steps of X' = v(X, t) with a network v, then a linear layer. */
export function classifier({ times, step, layers, readout }) {
  const buffers = layers.map(({ bias }) => new Float64Array(bias.length));
  const flat = layers.map(({ weight, bias }) => ({ weight: Float64Array.from(weight.flat()), bias: Float64Array.from(bias) }));
  const input = new Float64Array(3);
  return (x, y) => {
    for (const t of times) {
      input[0] = x;
      input[1] = y;
      input[2] = t;
      let from = input;
      for (let l = 0; l < flat.length; l++) {
        const { weight, bias } = flat[l], to = buffers[l], columns = from.length;
        for (let i = 0; i < to.length; i++) {
          let sum = bias[i];
          for (let j = 0; j < columns; j++) sum += weight[i * columns + j] * from[j];
          to[i] = l < flat.length - 1 ? Math.tanh(sum) : sum;
        }
        from = to;
      }
      x += step * from[0];
      y += step * from[1];
    }
    return (readout[1][0] - readout[0][0]) * x + (readout[1][1] - readout[0][1]) * y;
  };
}

// ---- Contours

/** The segments of the contour line of a level on a tensor grid, with larger values on their left (marching squares).
 * Crossings of edges are found by linear interpolation, or by `cross(p, q)`, which returns the point between p and q. */
export function contour(values, xs, ys, level, cross = null) {
  const segments = [], at = (i, j) => values[i * ys.length + j] - level;
  for (let i = 0; i + 1 < xs.length; i++) for (let j = 0; j + 1 < ys.length; j++) {
    const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]], exits = [], entries = [];
    corners.forEach(([a, b], k) => {
      const [c, d] = corners[(k + 1) % 4], u = at(a, b), v = at(c, d);
      if (u > 0 === v > 0) return;
      const p = [xs[a], ys[b]], q = [xs[c], ys[d]], f = u / (u - v);
      (u > 0 ? exits : entries).push(cross ? cross(p, q) : [p[0] + f * (q[0] - p[0]), p[1] + f * (q[1] - p[1])]);
    });
    exits.forEach((exit, k) => segments.push([exit, entries[k]]));
  }
  return segments;
}

// ---- Quadrature

const BISECTIONS = 30; // of an edge of the grid: the error is far below that of the segments
const CUTOFF = 6; // standard deviations: the density beyond has mass exp(-18)

/** The decision boundary of a classifier on a tensor grid, as segments with class 1 on their left, and the class at its left edge. */
export function decisionBoundary(margin, xs, ys) {
  const values = new Float64Array(xs.length * ys.length);
  xs.forEach((x, i) => ys.forEach((y, j) => (values[i * ys.length + j] = margin(x, y))));
  const cross = ([a, b], [c, d]) => {
    const positive = margin(a, b) > 0;
    let low = 0, high = 1;
    for (let k = 0; k < BISECTIONS; k++) {
      const middle = 0.5 * (low + high);
      if (margin(a + middle * (c - a), b + middle * (d - b)) > 0 === positive) low = middle;
      else high = middle;
    }
    return [a + low * (c - a), b + low * (d - b)];
  };
  const segments = Float64Array.from(contour(values, xs, ys, 0, cross).flat(2));
  return { segments, left: (y) => margin(xs[0], y) > 0 };
}

/** Whether points with the same y lie in the region of class 1: the parity of the crossings on their left. */
function inside({ segments, left }, xs, y) {
  const crossings = [];
  for (let k = 0; k < segments.length; k += 4) {
    const b = segments[k + 1], d = segments[k + 3];
    if (b > y !== d > y) crossings.push(segments[k] + ((y - b) / (d - b)) * (segments[k + 2] - segments[k]));
  }
  const first = left(y) ? 1 : 0;
  return Array.from(xs, (x) => (first + crossings.filter((c) => c < x).length) % 2);
}

/** p at the points of a grid, rows along x. In polar coordinates about a point, φ dA = -dω with ω = exp(-r²/2σ²) dθ/2π, so
 * that p is 1 inside of the region of class 1 and 0 outside, minus the integral of ω along its boundary. */
export function smoothed(boundary, sigma, xs, ys) {
  const { segments } = boundary, values = new Float64Array(xs.length * ys.length), scale = -0.5 / (sigma * sigma);
  const reach = (CUTOFF * sigma) ** 2;
  ys.forEach((y, j) => {
    const start = inside(boundary, xs, y);
    xs.forEach((x, i) => {
      let sum = 0;
      for (let k = 0; k < segments.length; k += 4) {
        const a = segments[k] - x, b = segments[k + 1] - y, near = a * a + b * b;
        if (near > reach) continue;
        const c = segments[k + 2] - x, d = segments[k + 3] - y, far = c * c + d * d, e = 0.5 * (a + c), f = 0.5 * (b + d);
        const weight = (Math.exp(scale * near) + 4 * Math.exp(scale * (e * e + f * f)) + Math.exp(scale * far)) / 6;
        sum += weight * Math.atan2(a * d - b * c, a * c + b * d);
      }
      values[i * ys.length + j] = Math.min(Math.max(start[i] - sum / (2 * Math.PI), 0), 1);
    });
  });
  return values;
}

// ---- Sampling

/** CERTIFY: the class of most of n0 noisy decisions, then n further ones; an invalid radius has probability ≤ alpha. */
export function certify(margin, sigma, [x, y], { n0 = 100, n = 10000, alpha = 0.001, seed = 0 } = {}) {
  const normal = normals(seed), ones = (draws) => {
    let count = 0;
    for (let k = 0; k < draws; k++) if (margin(x + sigma * normal(), y + sigma * normal()) > 0) count++;
    return count;
  };
  const predicted = 2 * ones(n0) > n0 ? 1 : 0, found = ones(n), count = predicted ? found : n - found;
  const lower = clopperPearsonLower(count, n, alpha), certified = radius(lower, sigma);
  return { predicted, count, n, alpha, lower, radius: certified, abstains: certified === 0 };
}
