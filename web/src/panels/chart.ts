/**
 * A chart as data: lines and points with their axes, joined for uPlot, and the shapes that tell points apart without colour.
 *
 * **Units**  values are in the unit that the axis names.
 */
import uPlot from 'uplot';

export type Shape = 'dot' | 'ring' | 'square' | 'diamond' | 'triangle' | 'cross' | 'bar';

export interface Line {
  label: string;
  /** A colour of the theme: `--c1`. */
  colour: string;
  /** `line` joins points, `step` holds a value until the next one, `points` draws shapes alone. */
  kind: 'line' | 'step' | 'points';
  shape?: Shape;
  dash?: number[];
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

export interface Axis {
  /** With its unit: `time, ms`. */
  label: string;
  log?: boolean;
  range?: [number, number];
  /** Words in the place of numbers: value to word. */
  words?: Map<number, string>;
}

/** An interval of x at one y, as of a percentile. */
export interface Whisker {
  y: number;
  x: number;
  low: number | null;
  high: number | null;
  colour: string;
}

export interface Drawing {
  x: Axis;
  y: Axis;
  lines: Line[];
  whiskers?: Whisker[];
}

/** Of which line, and the how manieth point of it. */
export interface Point {
  line: number;
  index: number;
}

/** The lines on one axis of x, as uPlot wants them. Points at the same x within one line keep the last y only, so lines are spread first. */
export function aligned(lines: readonly Line[]): uPlot.AlignedData {
  const tables = lines.map((line): uPlot.AlignedData => [Float64Array.from(line.x), Float64Array.from(line.y)]);
  if (tables.length === 0) return [new Float64Array(0)];
  return uPlot.join(tables.map(distinct));
}

/** Points of one line at the same x are moved apart by a billionth of it, since joining keeps one of them. */
function distinct(table: uPlot.AlignedData): uPlot.AlignedData {
  const x = Float64Array.from(table[0] as Float64Array);
  for (let i = 1; i < x.length; i++) {
    const before = x[i - 1] as number;
    if ((x[i] as number) <= before) x[i] = before + Math.max(Math.abs(before) * 1e-9, 1e-12);
  }
  return [x, table[1] as Float64Array];
}

/** The point nearest to a place, within `reach` pixels; null where there is none. `toX` and `toY` give pixels. */
export function nearest(lines: readonly Line[], at: { x: number; y: number }, toX: (x: number) => number, toY: (y: number) => number, reach = 24): Point | null {
  let best: Point | null = null;
  let least = reach * reach;
  lines.forEach((line, number) => {
    for (let i = 0; i < line.x.length; i++) {
      const dx = toX(line.x[i] as number) - at.x;
      const dy = toY(line.y[i] as number) - at.y;
      const distance = dx * dx + dy * dy;
      if (distance < least) {
        least = distance;
        best = { line: number, index: i };
      }
    }
  });
  return best;
}

/** Options for uPlot. `colour` gives the value of a colour of the theme. */
export function options(drawing: Drawing, width: number, height: number, colour: (name: string) => string): uPlot.Options {
  const ink = colour('--muted');
  const grid = { stroke: colour('--line'), width: 1 };
  const axis = (axis: Axis, size: number): uPlot.Axis => ({
    label: axis.label,
    stroke: ink,
    grid,
    ticks: grid,
    size,
    labelSize: 18,
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
    ...(axis.words
      ? { splits: () => [...(axis.words as Map<number, string>).keys()], values: (_: uPlot, splits: number[]) => splits.map((at) => axis.words?.get(at) ?? '') }
      : axis.log
        ? { filter: (_: uPlot, splits: number[]) => splits, values: (_: uPlot, splits: number[]) => splits.map((at) => (labelled(splits).test(at.toExponential()) ? String(Number(at.toPrecision(3))) : '')) }
        : {}),
  });
  const scale = (axis: Axis): uPlot.Scale => ({ time: false, ...(axis.log ? { distr: 3 as const, log: 10 as const } : {}), ...(axis.range ? { range: axis.range } : {}) });
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { show: false } },
    scales: { x: scale(drawing.x), y: scale(drawing.y) },
    axes: [axis(drawing.x, 36), axis(drawing.y, drawing.y.words ? 110 : 52)],
    series: [
      {},
      ...drawing.lines.map((line): uPlot.Series => {
        const stroke = colour(line.colour);
        const base = { label: line.label, stroke, points: { show: false }, spanGaps: true };
        if (line.kind === 'points') return { ...base, width: line.shape === 'ring' || line.shape === 'cross' || line.shape === 'bar' ? 2 : 1, fill: stroke, paths: shapes(line.shape ?? 'dot') };
        const stepped = uPlot.paths.stepped?.({ align: 1 });
        return { ...base, width: 2, ...(line.dash ? { dash: line.dash } : {}), ...(line.kind === 'step' && stepped ? { paths: stepped } : {}) };
      }),
    ],
    hooks: drawing.whiskers && drawing.whiskers.length > 0 ? { draw: [(plot) => whiskers(plot, drawing.whiskers ?? [], colour)] } : {},
  };
}

/** Which lines of a log axis have a number: decades, and 2 and 5 where there are few. */
function labelled(splits: number[]): RegExp {
  return (splits.at(-1) ?? 1) / (splits[0] ?? 1) > 300 ? /^1e/ : /^[125]e/;
}

/** Draws each point of a series as a shape. */
function shapes(shape: Shape): uPlot.Series.PathBuilder {
  return (plot, series, from, to) => {
    const path = new Path2D();
    const r = 3.5 * devicePixelRatio;
    const [xs, ys] = [plot.data[0], plot.data[series] as (number | null | undefined)[]];
    for (let i = from; i <= to; i++) {
      const y = ys[i];
      if (y === null || y === undefined) continue;
      place(path, shape, plot.valToPos(xs[i] as number, 'x', true), plot.valToPos(y, 'y', true), r);
    }
    const hollow = shape === 'ring' || shape === 'cross' || shape === 'bar';
    return { stroke: path, fill: hollow ? null : path, clip: null, band: null, gaps: null, flags: 3 } as unknown as uPlot.Series.Paths;
  };
}

function place(path: Path2D, shape: Shape, x: number, y: number, r: number): void {
  if (shape === 'dot' || shape === 'ring') {
    path.moveTo(x + r, y);
    path.arc(x, y, r * 0.8, 0, 2 * Math.PI);
  } else if (shape === 'square') {
    path.rect(x - r * 0.8, y - r * 0.8, r * 1.6, r * 1.6);
  } else if (shape === 'cross') {
    path.moveTo(x - r, y - r);
    path.lineTo(x + r, y + r);
    path.moveTo(x - r, y + r);
    path.lineTo(x + r, y - r);
  } else if (shape === 'bar') {
    path.moveTo(x, y - r * 1.4);
    path.lineTo(x, y + r * 1.4);
  } else {
    const top = y - r * 1.2;
    path.moveTo(x, top);
    if (shape === 'diamond') {
      path.lineTo(x + r, y);
      path.lineTo(x, y + r * 1.2);
      path.lineTo(x - r, y);
    } else {
      path.lineTo(x + r * 1.1, y + r);
      path.lineTo(x - r * 1.1, y + r);
    }
    path.closePath();
  }
}

function whiskers(plot: uPlot, all: readonly Whisker[], colour: (name: string) => string): void {
  const context = plot.ctx;
  const end = 5 * devicePixelRatio;
  context.save();
  context.lineWidth = 2 * devicePixelRatio;
  for (const one of all) {
    context.strokeStyle = colour(one.colour);
    const y = plot.valToPos(one.y, 'y', true);
    const x = plot.valToPos(one.x, 'x', true);
    context.beginPath();
    context.arc(x, y, end * 0.7, 0, 2 * Math.PI);
    if (one.low !== null && one.high !== null) {
      const [low, high] = [plot.valToPos(one.low, 'x', true), plot.valToPos(one.high, 'x', true)];
      context.moveTo(low, y - end);
      context.lineTo(low, y + end);
      context.moveTo(low, y);
      context.lineTo(high, y);
      context.moveTo(high, y - end);
      context.lineTo(high, y + end);
    }
    context.stroke();
  }
  context.restore();
}

/** The colours of series in turn. */
export function series(i: number): string {
  return `--c${(i % 8) + 1}`;
}
