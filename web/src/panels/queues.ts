/**
 * A switch's charts: how long its queues were, and where it detoured and dropped, after Figure 2 of DIBS (EuroSys 2014).
 *
 * **Units**  time in the unit of the axis, queues in packets: the longest in each part of the time.
 */
import type { Head, QueueSeries } from '../engine/api';
import { series as seriesColour, type Drawing, type Line } from './chart';
import { nodeName } from './sides';
import type { Unit } from '../units';

/** More lines than colours cannot be told apart. */
export const MOST_LINES = 8;

/** The queues to draw: those that were longest, in the order of their ports, or the one that was chosen. */
export function busiest(series: QueueSeries, port?: number): QueueSeries['ports'] {
  if (port !== undefined) return series.ports.filter((one) => one.port === port);
  const longest = (one: QueueSeries['ports'][number]) => one.packets.reduce((a, b) => Math.max(a, b), 0);
  const chosen = new Set([...series.ports].sort((a, b) => longest(b) - longest(a)).slice(0, MOST_LINES));
  return series.ports.filter((one) => chosen.has(one));
}

/** Queue lengths over time, with the capacity as a dashed line where all of them have the same. */
export function lengths(series: QueueSeries, ports: QueueSeries['ports'], head: Head, unit: Unit): Drawing {
  const x = instants(series).map((at) => at / unit.per);
  const lines: Line[] = ports.map((one) => ({ label: `to ${nodeName(head, one.to)}`, colour: seriesColour(series.ports.indexOf(one)), kind: 'step', x, y: one.packets }));
  const capacities = new Set(ports.map((one) => head.network.links[one.port]?.queue_packets));
  const [capacity] = capacities;
  const most = Math.max(1, ...ports.map((one) => one.packets.reduce((a, b) => Math.max(a, b), 0)));
  if (capacities.size === 1 && capacity !== undefined) lines.push({ label: `capacity, ${capacity} packets`, colour: '--bad', kind: 'line', dash: [3, 4], x: [x[0] ?? 0, x.at(-1) ?? 1], y: [capacity, capacity] });
  return { x: axis(series, unit), y: { label: 'queue, packets', range: [0, Math.max(most, capacities.size === 1 ? (capacity ?? 0) : 0) * 1.06] }, lines };
}

/** One row a port, a diamond where packets were detoured into its queue, a cross where packets were dropped at it. Null where nothing was. */
export function events(series: QueueSeries, ports: QueueSeries['ports'], head: Head, unit: Unit): Drawing | null {
  const at = instants(series);
  const gather = (of: (one: QueueSeries['ports'][number]) => Float64Array) => {
    const points: [number, number][] = [];
    ports.forEach((one, row) => of(one).forEach((n, i) => n > 0 && points.push([(at[i] as number) / unit.per, row])));
    points.sort((a, b) => a[0] - b[0]);
    return points;
  };
  const lines: Line[] = [];
  // A line of a chart has one value at an instant, so each row has its own; the legend needs one of each.
  for (const [label, colour, shape, of] of [
    ['detoured into it', '--c4', 'diamond', (one: QueueSeries['ports'][number]) => one.detours],
    ['dropped at it', '--c2', 'cross', (one: QueueSeries['ports'][number]) => one.drops],
  ] as const) {
    const points = gather(of);
    if (points.length > 0) lines.push({ label, colour, kind: 'points', shape, x: points.map(([x]) => x), y: points.map(([, y]) => y) });
  }
  if (lines.length === 0) return null;
  return { x: axis(series, unit), y: { label: '', range: [-0.6, ports.length - 0.4], words: new Map(ports.map((one, row) => [row, `to ${nodeName(head, one.to)}`])) }, lines };
}

/** Both kinds of counts of all its ports. */
export function totals(series: QueueSeries): { detours: number; drops: number } {
  const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  return {
    detours: series.ports.reduce((all, one) => all + sum(one.detours), 0),
    drops: series.ports.reduce((all, one) => all + sum(one.drops), 0),
  };
}

/** Where each part of the time begins. */
export function instants(series: QueueSeries): number[] {
  const step = (series.to - series.from) / series.buckets;
  return Array.from({ length: series.buckets }, (_, i) => series.from + i * step);
}

function axis(series: QueueSeries, unit: Unit): Drawing['x'] {
  return { label: `time, ${unit.name}`, range: [series.from / unit.per, series.to / unit.per] };
}
