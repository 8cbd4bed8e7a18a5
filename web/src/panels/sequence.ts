/**
 * A flow's charts: what was sent and acknowledged over time, and its window.
 *
 * **Units**  time in the unit of the axis, sequence numbers and windows in kB (a kilobyte is 1000 bytes).
 */
import type { FlowSeries } from '../engine/api';
import type { Drawing, Line, Shape } from './chart';
import type { Unit } from '../units';

/** A drawing, and which packet and instant each point of its lines stands for. */
export interface Plotted {
  drawing: Drawing;
  /** Of each line of the drawing. `packet` is null where a point is of no packet. */
  points: { at: ArrayLike<number>; packet: ArrayLike<number> | null }[];
}

const KB = 1000;

/** The sequence plot: sent, sent again, acknowledged, marked, dropped, timeouts. */
export function sequence(series: FlowSeries, unit: Unit): Plotted {
  const { sent, acked, marks, drops, windows } = series;
  const lines: Line[] = [];
  const points: Plotted['points'] = [];
  const seqOf = new Map<number, number>();
  for (let i = 0; i < sent.packet.length; i++) seqOf.set(sent.packet[i] as number, sent.seq[i] as number);

  const add = (label: string, colour: string, shape: Shape, at: number[], y: number[], packet: number[] | null, kind: Line['kind'] = 'points') => {
    if (at.length === 0) return;
    lines.push({ label, colour, kind, shape, x: at.map((t) => t / unit.per), y: y.map((seq) => seq / KB) });
    points.push({ at, packet });
  };
  const of = (keep: (i: number) => boolean) => indices(sent.at.length, keep);
  const first = of((i) => sent.again[i] === 0);
  const again = of((i) => sent.again[i] !== 0);
  const pick = (all: number[], from: ArrayLike<number>) => all.map((i) => from[i] as number);
  add('acknowledged', '--c3', 'dot', Array.from(acked.at), Array.from(acked.seq), null, 'step');
  add('sent', '--c1', 'square', pick(first, sent.at), pick(first, sent.seq), pick(first, sent.packet));
  add('sent again', '--c5', 'triangle', pick(again, sent.at), pick(again, sent.seq), pick(again, sent.packet));
  // A mark or drop stands at the height of its packet; one whose sending is not recorded cannot be placed.
  const placed = (all: { at: Float64Array; packet: Uint32Array }) => indices(all.at.length, (i) => seqOf.has(all.packet[i] as number));
  for (const [label, colour, shape, all] of [
    ['marked', '--c4', 'ring', marks],
    ['dropped', '--c2', 'cross', drops],
  ] as const) {
    const which = placed(all);
    add(label, colour, shape, pick(which, all.at), which.map((i) => seqOf.get(all.packet[i] as number) as number), pick(which, all.packet));
  }
  const timeouts = timeoutsOf(windows);
  add('timeout', '--c8', 'bar', timeouts, timeouts.map((at) => below(acked, at)), null);
  return { drawing: { x: { label: `time, ${unit.name}` }, y: { label: 'sequence, kB' }, lines }, points };
}

/** The congestion window and the slow-start threshold, which is left out while it is larger than anything else (before the first loss or mark). */
export function windows(series: FlowSeries, unit: Unit): Drawing {
  const { at, cwnd, ssthresh } = series.windows;
  const x = Array.from(at, (t) => t / unit.per);
  const most = cwnd.reduce((a, b) => Math.max(a, b), 0);
  const known = indices(at.length, (i) => (ssthresh[i] as number) <= Math.max(most * 16, 1e6));
  const lines: Line[] = [{ label: 'congestion window', colour: '--c1', kind: 'step', x, y: Array.from(cwnd, (bytes) => bytes / KB) }];
  if (known.length > 0) lines.push({ label: 'slow-start threshold', colour: '--c2', kind: 'step', dash: [6, 4], x: known.map((i) => x[i] as number), y: known.map((i) => (ssthresh[i] as number) / KB) });
  return { x: { label: `time, ${unit.name}` }, y: { label: 'window, kB', range: [0, (Math.max(most, ...known.map((i) => ssthresh[i] as number)) / KB) * 1.05 || 1] }, lines };
}

/** When the count of timeouts rose. */
export function timeoutsOf(windows: FlowSeries['windows']): number[] {
  return indices(windows.at.length, (i) => i > 0 && (windows.timeouts[i] as number) > (windows.timeouts[i - 1] as number)).map((i) => windows.at[i] as number);
}

/** What was acknowledged by an instant. */
function below(acked: FlowSeries['acked'], at: number): number {
  let seq = 0;
  for (let i = 0; i < acked.at.length && (acked.at[i] as number) <= at; i++) seq = Math.max(seq, acked.seq[i] as number);
  return seq;
}

function indices(length: number, keep: (i: number) => boolean): number[] {
  const out: number[] = [];
  for (let i = 0; i < length; i++) if (keep(i)) out.push(i);
  return out;
}
