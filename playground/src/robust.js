// The page on robust classification: a slider for the noise, decision boundaries, and a certificate at a chosen point.
import { drawLines, drawMap } from "./plots.js";
import { certify, classifier, contour, decisionBoundary, radius, smoothed } from "./smoothing.js";

const BOX = { left: -1.6, right: 2.6, bottom: -1.4, top: 1.9 };
const START = { sigma: 0.25, x: 0.5, y: 0.5 };
const COLUMNS = 84, ROWS = 66; // cells of the picture
const FINE = 0.025, COARSE = 0.1; // spacing of the grid for the decision boundary, inside of the box and in its margin
const MARGIN = 3.2; // four standard deviations of the largest noise: beyond it the decisions have no weight
const RADII = 61; // points of the curve of certified accuracy
const MAX_RADIUS = 1.5; // of that curve: few test points are farther from the boundary
const PAUSE = 150; // milliseconds without a change before sampling

const part = (id) => document.getElementById(id);
const along = (start, end, count) => Float64Array.from({ length: count }, (_, k) => start + ((end - start) * k) / (count - 1));
const axes = [{ name: "x₁", start: BOX.left, end: BOX.right }, { name: "x₂", start: BOX.bottom, end: BOX.top }];
const xs = along(BOX.left, BOX.right, COLUMNS + 1), ys = along(BOX.bottom, BOX.top, ROWS + 1);
const short = (value) => String(Number(value.toPrecision(3)));
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

let margin, base, points, timer, state, drawn = null;

function stored() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const value = (name, low, high) => (Number.isFinite(parseFloat(fields.get(name))) ? clamp(parseFloat(fields.get(name)), low, high) : START[name]);
  return { sigma: value("sigma", 0.05, 0.8), x: value("x", BOX.left, BOX.right), y: value("y", BOX.bottom, BOX.top) };
}

/** The probability of class 1 under noise at single points. */
const probability = (x, y) => smoothed(base, state.sigma, [x], [y])[0];

function solve() {
  const { sigma } = state, start = performance.now();
  const p = smoothed(base, sigma, xs, ys);
  const tests = points.map(([x, y, label]) => {
    const one = probability(x, y), predicted = one > 0.5 ? 1 : 0;
    return { x, y, label, correct: predicted === label, radius: radius(Math.max(one, 1 - one), sigma) };
  });
  drawn = { p, tests, boundary: contour(p, xs, ys, 0.5).flat(2), certificate: null };
  draw();
  part("sigma-value").textContent = short(sigma);
  const correct = tests.filter((t) => t.correct).length, wide = tests.filter((t) => t.correct && t.radius >= 0.2).length;
  part("accuracy").textContent = `${correct} of ${tests.length} test points are classified correctly; ${wide} of them with a radius of at least 0.2. ` +
    "These radii are by quadrature: estimates, not certificates.";
  document.body.dataset.latency = String(Math.round(performance.now() - start));
  delete document.body.dataset.certified;
  clearTimeout(timer);
  timer = setTimeout(sample, PAUSE);
}

/** The certificate of the chosen point, by noise samples. */
function sample() {
  const { sigma, x, y } = state, found = certify(margin, sigma, [x, y]);
  drawn.certificate = found;
  draw();
  const counts = `${found.count.toLocaleString("en")} of ${found.n.toLocaleString("en")} noise samples are of class ${found.predicted}`;
  part("certificate").textContent = found.abstains
    ? `${counts}: too few for a certificate. It abstains here.`
    : `${counts}. Certified radius ${found.radius.toFixed(3)}: with probability at least ${short(100 * (1 - found.alpha))} % over this noise, no ` +
      "perturbation of smaller ℓ2 norm changes the class of the smoothed classifier. The network without noise has no certificate.";
  const one = probability(x, y), most = Math.max(one, 1 - one);
  part("quadrature").textContent = `By quadrature: probability ${most.toFixed(4)}, radius σ Φ⁻¹(p) = ${radius(most, sigma).toFixed(3)}, an estimate without a bound.`;
  Object.assign(document.body.dataset, { certified: String(found.radius), probability: String(one), count: String(found.count) });
  history.replaceState(null, "", `#sigma=${short(sigma)}&x=${short(x)}&y=${short(y)}`);
}

function draw() {
  const { p, tests, boundary, certificate } = drawn, difference = p.map((one) => 2 * one - 1);
  const { context, px, py } = drawMap(part("map"), axes, difference, [COLUMNS + 1, ROWS + 1], { low: -1, high: 1 }, "P₁ − P₀", { equal: true });
  part("map").setAttribute("aria-label", `Class probabilities under noise with σ = ${short(state.sigma)}, decision boundaries, and test points`);
  part("map").place = { px, py };
  const stroke = (segments, dash, width) => {
    context.beginPath();
    for (let k = 0; k < segments.length; k += 4) {
      context.moveTo(px(segments[k]), py(segments[k + 1]));
      context.lineTo(px(segments[k + 2]), py(segments[k + 3]));
    }
    context.setLineDash(dash);
    context.lineWidth = width;
    context.strokeStyle = "#000";
    context.stroke();
    context.setLineDash([]);
  };
  context.save();
  context.beginPath();
  context.rect(px(BOX.left), py(BOX.top), px(BOX.right) - px(BOX.left), py(BOX.bottom) - py(BOX.top));
  context.clip();
  stroke(base.segments, [3, 3], 1);
  stroke(boundary, [], 2.5);
  context.restore();
  for (const { x, y, label, correct } of tests) {
    context.beginPath();
    if (label) context.rect(px(x) - 3, py(y) - 3, 6, 6);
    else context.arc(px(x), py(y), 3.2, 0, 2 * Math.PI);
    context.fillStyle = correct ? (label ? "#8d2706" : "#001260") : "#fff";
    context.strokeStyle = correct ? "#fff" : "#000";
    context.lineWidth = 1;
    context.fill();
    context.stroke();
  }
  const size = certificate && !certificate.abstains ? px(state.x + certificate.radius) - px(state.x) : 0;
  context.strokeStyle = "#000";
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(px(state.x) - 6, py(state.y));
  context.lineTo(px(state.x) + 6, py(state.y));
  context.moveTo(px(state.x), py(state.y) - 6);
  context.lineTo(px(state.x), py(state.y) + 6);
  context.stroke();
  if (size) {
    context.beginPath();
    context.arc(px(state.x), py(state.y), size, 0, 2 * Math.PI);
    context.stroke();
  }
  const radii = along(0, MAX_RADIUS, RADII);
  const shares = radii.map((r) => tests.filter((t) => t.correct && t.radius >= r).length / tests.length);
  const curve = { name: "fraction of test points", x: radii, values: shares };
  drawLines(part("curve"), { name: "radius r", start: 0, end: MAX_RADIUS }, [curve], { low: 0, high: 1 }, null);
  part("curve").setAttribute("aria-label", "Fraction of test points that are correct with a radius above r, by quadrature");
}

function choose(x, y) {
  state.x = clamp(x, BOX.left, BOX.right);
  state.y = clamp(y, BOX.bottom, BOX.top);
  part("x").value = short(state.x);
  part("y").value = short(state.y);
  sample();
}

/** Grid lines of an interval and its margin. */
function grid(start, end) {
  const count = Math.round((end - start) / FINE) + 1, beyond = Math.round(MARGIN / COARSE) + 1;
  return [...along(start - MARGIN, start, beyond).slice(0, -1), ...along(start, end, count), ...along(end, end + MARGIN, beyond).slice(1)];
}

/** The coordinate whose position on the canvas is `pixel`: positions are affine functions of coordinates. */
const inverse = (position, pixel) => (pixel - position(0)) / (position(1) - position(0));

async function start() {
  const { network, points: tests, spec } = await (await fetch("network.json")).json();
  margin = classifier(network);
  points = tests;
  state = stored();
  base = decisionBoundary(margin, grid(BOX.left, BOX.right), grid(BOX.bottom, BOX.top));
  part("spec").textContent = spec.trim();
  part("sigma").value = state.sigma;
  part("x").value = short(state.x);
  part("y").value = short(state.y);
  part("sigma").addEventListener("input", () => {
    state.sigma = Number(part("sigma").value);
    solve();
  });
  for (const id of ["x", "y"]) part(id).addEventListener("change", () => choose(Number(part("x").value), Number(part("y").value)));
  part("map").addEventListener("click", (event) => {
    const { px, py } = part("map").place;
    choose(inverse(px, event.offsetX), inverse(py, event.offsetY));
  });
  window.addEventListener("hashchange", () => {
    state = stored();
    part("sigma").value = state.sigma;
    part("x").value = short(state.x);
    part("y").value = short(state.y);
    solve();
  });
  new ResizeObserver(() => drawn && draw()).observe(part("map"));
  solve();
}

start();
