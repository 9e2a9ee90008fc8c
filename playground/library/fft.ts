// Discrete Fourier transforms of any length: mixed radix (Cooley, Tukey 1965), with butterflies of radix 2, 3, 4 and 5.

interface Plan {
  n: number;
  factors: number[];
  cos: Float64Array; // of 2πk / n
  sin: Float64Array;
  re: Float64Array; // scratch
  im: Float64Array;
}

const plans = new Map<number, Plan>();

function factorize(n: number): number[] {
  const factors: number[] = [];
  for (const p of [4, 2, 3, 5]) while (n % p === 0) (factors.push(p), (n /= p));
  for (let p = 7; n > 1; p += 2) while (n % p === 0) (factors.push(p), (n /= p));
  return factors;
}

function planOf(n: number): Plan {
  let plan = plans.get(n);
  if (!plan) {
    const cos = new Float64Array(n), sin = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      cos[k] = Math.cos((2 * Math.PI * k) / n);
      sin[k] = Math.sin((2 * Math.PI * k) / n);
    }
    plan = { n, factors: factorize(n), cos, sin, re: new Float64Array(n), im: new Float64Array(n) };
    plans.set(n, plan);
  }
  return plan;
}

/** Σⱼ z_j e^{∓2πi jk/n}, in place; `sign` is -1 for the transform, 1 for the inverse, without a factor. Stockham's
 * self-sorting algorithm: every pass reads one pair of arrays and writes the other. */
export function transform(re: Float64Array, im: Float64Array, sign: -1 | 1): void {
  const n = re.length, plan = planOf(n);
  let [ar, ai, br, bi] = [re, im, plan.re, plan.im];
  let length = n, stride = 1;
  for (const p of plan.factors) {
    length /= p;
    pass(p, length, stride, ar, ai, br, bi, plan, sign);
    [ar, ai, br, bi] = [br, bi, ar, ai];
    stride *= p;
  }
  if (ar !== re) (re.set(ar), im.set(ai));
}

function pass(
  p: number, m: number, s: number,
  ar: Float64Array, ai: Float64Array, br: Float64Array, bi: Float64Array, plan: Plan, sign: number,
): void {
  const { cos, sin, n } = plan;
  if (p === 2) {
    for (let j = 0; j < m; j++) {
      const c = cos[j * s], d = sign * sin[j * s];
      for (let q = 0; q < s; q++) {
        const a = q + s * j, b = a + s * m, o = q + s * 2 * j;
        const xr = ar[a] - ar[b], xi = ai[a] - ai[b];
        br[o] = ar[a] + ar[b];
        bi[o] = ai[a] + ai[b];
        br[o + s] = xr * c - xi * d;
        bi[o + s] = xr * d + xi * c;
      }
    }
    return;
  }
  if (p === 4) {
    for (let j = 0; j < m; j++) {
      const c1 = cos[j * s], d1 = sign * sin[j * s], c2 = cos[2 * j * s], d2 = sign * sin[2 * j * s];
      const c3 = cos[3 * j * s], d3 = sign * sin[3 * j * s];
      for (let q = 0; q < s; q++) {
        const a = q + s * j, b = a + s * m, c = b + s * m, d = c + s * m, o = q + s * 4 * j;
        const pr = ar[a] + ar[c], pi = ai[a] + ai[c], mr = ar[a] - ar[c], mi = ai[a] - ai[c];
        const qr = ar[b] + ar[d], qi = ai[b] + ai[d];
        const nr = -sign * (ai[b] - ai[d]), ni = sign * (ar[b] - ar[d]); // ±i (b - d)
        br[o] = pr + qr;
        bi[o] = pi + qi;
        let xr = mr + nr, xi = mi + ni;
        br[o + s] = xr * c1 - xi * d1;
        bi[o + s] = xr * d1 + xi * c1;
        xr = pr - qr;
        xi = pi - qi;
        br[o + 2 * s] = xr * c2 - xi * d2;
        bi[o + 2 * s] = xr * d2 + xi * c2;
        xr = mr - nr;
        xi = mi - ni;
        br[o + 3 * s] = xr * c3 - xi * d3;
        bi[o + 3 * s] = xr * d3 + xi * c3;
      }
    }
    return;
  }
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < p; k++) {
      const twiddle = (j * s * k) % n, tc = cos[twiddle], td = sign * sin[twiddle];
      for (let q = 0; q < s; q++) {
        let xr = 0, xi = 0;
        for (let l = 0; l < p; l++) {
          const at = ((k * l) % p) * (n / p), c = cos[at], d = sign * sin[at], a = q + s * (j + m * l);
          xr += ar[a] * c - ai[a] * d;
          xi += ar[a] * d + ai[a] * c;
        }
        const o = q + s * (p * j + k);
        br[o] = xr * tc - xi * td;
        bi[o] = xr * td + xi * tc;
      }
    }
  }
}
