// Pictures of a solution on a canvas: lines, heat maps and surfaces, from values on a grid at equal times.

// Stops of viridis for values of one sign (van der Walt, Smith 2015), and of a diverging map centred at zero (vik; Crameri 2018).
const SEQUENTIAL = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];
const DIVERGING = ["#001260", "#034481", "#307da6", "#95bdd3", "#ece5e0", "#dcac90", "#c1683d", "#8d2706", "#590007"];
const LINES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]; // colour-blind safe (Okabe, Ito)
const MARGIN = { left: 58, right: 16, top: 14, bottom: 40 };

const channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));

/** 256 colours between the stops, as red, green, blue. */
function table(stops) {
  const parts = stops.map(channels), colours = new Uint8Array(256 * 3);
  for (let k = 0; k < 256; k++) {
    const place = (k / 255) * (parts.length - 1), first = Math.min(Math.floor(place), parts.length - 2);
    for (let c = 0; c < 3; c++) colours[3 * k + c] = parts[first][c] + (place - first) * (parts[first + 1][c] - parts[first][c]);
  }
  return colours;
}

const TABLES = { sequential: table(SEQUENTIAL), diverging: table(DIVERGING) };

/** The range of values, symmetric about zero with a diverging map if both signs occur. */
export function colourScale(low, high) {
  if (low < -1e-9 * high && high > 0) {
    const most = Math.max(-low, high);
    return { low: -most, high: most, colours: TABLES.diverging };
  }
  return { low, high: high > low ? high : low + 1, colours: TABLES.sequential };
}

const position = ({ low, high }, value) => Math.max(0, Math.min(255, Math.round(((value - low) / (high - low)) * 255)));

/** Round numbers that divide an interval into about `count` parts. */
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((f) => f * power >= rough) ?? 10);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(10)));
  return found;
}

const shown = (value) => {
  const text = Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(1) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
};

/** A canvas with as many pixels as the screen has, in CSS pixels. */
function prepared(canvas) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas), ink = style.getPropertyValue("--ink"), soft = style.getPropertyValue("--soft");
  context.font = "13px system-ui, sans-serif";
  return { context, width, height, ink, soft };
}

function frame(area, x, y) {
  const { context, width, height, ink, soft } = area;
  const box = { left: MARGIN.left, top: MARGIN.top, width: width - MARGIN.left - (area.right ?? MARGIN.right), height: height - MARGIN.top - MARGIN.bottom };
  const px = (v) => box.left + ((v - x.low) / (x.high - x.low)) * box.width;
  const py = (v) => box.top + box.height - ((v - y.low) / (y.high - y.low)) * box.height;
  context.strokeStyle = soft;
  context.fillStyle = ink;
  context.lineWidth = 1;
  context.strokeRect(box.left, box.top, box.width, box.height);
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const v of ticks(x.low, x.high, Math.max(2, box.width / 90))) {
    context.beginPath();
    context.moveTo(px(v), box.top + box.height);
    context.lineTo(px(v), box.top + box.height + 4);
    context.stroke();
    context.fillText(shown(v), px(v), box.top + box.height + 6);
  }
  context.fillText(x.name, box.left + box.width / 2, box.top + box.height + 22);
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const v of ticks(y.low, y.high, Math.max(2, box.height / 50))) {
    context.beginPath();
    context.moveTo(box.left - 4, py(v));
    context.lineTo(box.left, py(v));
    context.stroke();
    context.fillText(shown(v), box.left - 6, py(v));
  }
  context.save();
  context.translate(12, box.top + box.height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText(y.name, 0, 0);
  context.restore();
  return { box, px, py };
}

/** Curves over x: [{ name, x, values }], the first values of each in the background. */
export function drawLines(canvas, axis, curves, range, start) {
  const area = prepared(canvas), { context } = area, gap = 0.05 * (range.high - range.low || 1);
  const y = { name: curves.map((c) => c.name).join(", "), low: range.low - gap, high: range.high + gap };
  const { px, py } = frame(area, { name: axis.name, low: axis.start, high: axis.end }, y);
  const draw = (x, values, colour, width, dash) => {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    values.forEach((v, k) => (k ? context.lineTo(px(x[k]), py(v)) : context.moveTo(px(x[k]), py(v))));
    context.stroke();
    context.setLineDash([]);
  };
  if (start) start.forEach((values) => draw(curves[0].x, values, area.soft, 1, [4, 4]));
  curves.forEach(({ x, values }, k) => draw(x, values, LINES[k % LINES.length], 2, []));
  if (curves.length > 1) {
    context.textAlign = "left";
    curves.forEach(({ name }, k) => {
      context.fillStyle = LINES[k % LINES.length];
      context.fillText(name, MARGIN.left + 10 + 40 * k, MARGIN.top + 12);
    });
  }
}

/** A heat map of values (rows along the first axis) with a colour bar; `mark` is a line across the second axis.
 * Returns the context, and the positions of coordinates. */
export function drawMap(canvas, [first, second], values, [rows, columns], range, name, { mark = null, equal = false } = {}) {
  const area = prepared(canvas), { context } = area, scale = colourScale(range.low, range.high);
  area.right = 78;
  if (equal) { // equal scales in space
    const across = (area.height - MARGIN.top - MARGIN.bottom) * ((first.end - first.start) / (second.end - second.start));
    area.right = Math.max(78, area.width - MARGIN.left - across);
  }
  const image = new ImageData(rows, columns);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
    const c = 3 * position(scale, values[i * columns + j]), o = 4 * ((columns - 1 - j) * rows + i);
    image.data.set([scale.colours[c], scale.colours[c + 1], scale.colours[c + 2], 255], o);
  }
  const small = new OffscreenCanvas(rows, columns);
  small.getContext("2d").putImageData(image, 0, 0);
  const x = { name: first.name, low: first.start, high: first.end }, y = { name: second.name, low: second.start, high: second.end };
  const box = { left: MARGIN.left, top: MARGIN.top, width: area.width - MARGIN.left - area.right, height: area.height - MARGIN.top - MARGIN.bottom };
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(small, box.left, box.top, box.width, box.height);
  const { px, py } = frame(area, x, y);
  if (mark !== null) {
    context.strokeStyle = area.ink;
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(box.left, py(mark));
    context.lineTo(box.left + box.width, py(mark));
    context.stroke();
    context.setLineDash([]);
  }
  colourBar(area, box, scale, name);
  return { context, px, py };
}

function colourBar({ context, ink, soft }, box, scale, name) {
  const left = box.left + box.width + 14, width = 12;
  for (let k = 0; k < box.height; k++) {
    const c = 3 * Math.round(255 * (1 - k / box.height));
    context.fillStyle = `rgb(${scale.colours[c]} ${scale.colours[c + 1]} ${scale.colours[c + 2]})`;
    context.fillRect(left, box.top + k, width, 1.5);
  }
  context.strokeStyle = soft;
  context.strokeRect(left, box.top, width, box.height);
  context.fillStyle = ink;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const v of ticks(scale.low, scale.high, 5)) {
    context.fillText(shown(v), left + width + 4, box.top + box.height * (1 - (v - scale.low) / (scale.high - scale.low)));
  }
  context.fillText(name, left, box.top + box.height + 14);
}

/** A surface z(x, y) in parallel projection, the farthest cells first (painter's algorithm). */
export function drawSurface(canvas, [first, second], values, [rows, columns], range, name) {
  const area = prepared(canvas), { context, width, height } = area, scale = colourScale(range.low, range.high);
  const cos = Math.cos(0.65), sin = Math.sin(0.65), tilt = 0.5, span = range.high - range.low || 1;
  const unit = Math.min(width / 1.75, height / 1.5);
  const project = (a, b, v) => {
    const x = a - 0.5, y = b - 0.5, z = (v - range.low) / span;
    return [width / 2 + unit * (x * cos - y * sin), height * 0.56 + unit * (tilt * (x * sin + y * cos) - 0.55 * (z - 0.35))];
  };
  const at = (i, j) => values[i * columns + j];
  context.strokeStyle = area.soft;
  context.fillStyle = area.ink;
  context.textAlign = "center";
  const base = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([a, b]) => project(a, b, range.low));
  context.beginPath();
  base.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.stroke();
  context.lineWidth = 0.4;
  const di = Math.max(1, Math.floor(rows / 72)), dj = Math.max(1, Math.floor(columns / 72));
  for (let i = 0; i + di < rows; i += di) for (let j = 0; j + dj < columns; j += dj) {
    const corners = [[i, j], [i + di, j], [i + di, j + dj], [i, j + dj]];
    const c = 3 * position(scale, corners.reduce((sum, [p, q]) => sum + at(p, q), 0) / 4);
    context.beginPath();
    corners.forEach(([p, q], k) => {
      const [x, y] = project(p / (rows - 1), q / (columns - 1), at(p, q));
      if (k) context.lineTo(x, y);
      else context.moveTo(x, y);
    });
    context.closePath();
    context.fillStyle = context.strokeStyle = `rgb(${scale.colours[c]} ${scale.colours[c + 1]} ${scale.colours[c + 2]})`;
    context.fill();
    context.stroke();
  }
  context.fillStyle = area.ink;
  const label = (text, [x, y], dx, dy) => context.fillText(text, x + dx, y + dy);
  label(`${first.name} = ${shown(first.start)}`, project(0, 1, range.low), -10, 16);
  label(`${first.name} = ${shown(first.end)}`, project(1, 1, range.low), 0, 18);
  label(`${second.name} = ${shown(second.start)}`, project(1, 0, range.low), 10, 18);
  context.textAlign = "left";
  context.fillText(`${name} from ${shown(range.low)} to ${shown(range.high)}`, 10, 16);
}
