/**
 * Distributions of a recording's completions, and the result's percentiles with their intervals.
 *
 * **Decision**  a CDF is a step at each value; percentiles are by nearest rank, as everywhere in Sidestep (docs/reference/results.md).
 * **Units**     `completions()` has picoseconds; `summary.json` milliseconds; drawings the unit of their axis.
 */
import type { Completions, Ps } from '../engine/api';
import { series as seriesColour, type Drawing, type Line, type Whisker } from './chart';
import { unitOf, type Unit } from '../units';

/** What can be drawn, in its order. */
export const METRICS = ['qct', 'fct', 'slowdown', 'detours'] as const;
export type Metric = (typeof METRICS)[number];

export const TITLES: Record<Metric, { title: string; of: string; time: boolean }> = {
  qct: { title: 'Query completion time', of: 'queries', time: true },
  fct: { title: 'Flow completion time', of: 'flows', time: true },
  slowdown: { title: 'Slowdown of flows', of: 'flows', time: false },
  detours: { title: 'Detours of a flow’s packets', of: 'flows', time: false },
};

/** The values of one metric, smallest first, with the number of the query or flow that each is of. */
export function values(completions: Completions, metric: Metric): { value: number; id: number }[] {
  const all = metric === 'qct' ? completions.queries.map((one) => ({ value: one.qct, id: one.id })) : completions.flows.map((one) => ({ value: one[metric], id: one.id }));
  return all.filter((one) => Number.isFinite(one.value)).sort((a, b) => a.value - b.value || a.id - b.id);
}

/** In a sentence: how many flows and queries never ended, of each recording; empty where all did. */
export function unfinished(all: readonly { name: string; completions: Completions }[]): string {
  const told = all.flatMap(({ name, completions: { unfinished } }) => {
    const parts = [unfinished.queries > 0 ? amount(unfinished.queries, 'query', 'queries') : '', unfinished.flows > 0 ? amount(unfinished.flows, 'flow', 'flows') : ''];
    const words = parts.filter((part) => part !== '').join(' and ');
    return words === '' ? [] : [`${words} of ${name}`];
  });
  return told.length === 0 ? '' : `Not in the drawings, since they never ended: ${told.join('; ')}. They took longer than what is drawn says.`;
}

function amount(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** The smallest value that at least `share` of them do not exceed. */
export function percentile(sorted: readonly { value: number }[], share: number): number | null {
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)]?.value ?? null;
}

/** A percentile of the result, over all its seeds. */
export interface Known {
  scheme: string;
  /** In picoseconds for times. */
  p50: number | null;
  p99: number | null;
  atLeast: boolean;
  ci: [number, number] | null;
  n: number;
  completed: number | null;
}

/** Where `summary.json` has the metric. Slowdowns and detours have no percentiles for all classes together there. */
const KEYS: Partial<Record<Metric, string>> = { qct: 'qct_ms', fct: 'fct_all_ms' };

/** What the result says of a scheme; null where it says nothing. Any JSON may come: what is not as docs/reference/results.md has it is left out. */
export function known(summary: unknown, scheme: string, metric: Metric): Known | null {
  const key = KEYS[metric];
  if (key === undefined) return null;
  const found = object(object(object(object(summary)?.['schemes'])?.[scheme])?.[key]);
  if (!found) return null;
  const ms = (value: unknown) => (typeof value === 'number' ? value * 1e9 : null);
  const ci = found['ci'];
  const interval = Array.isArray(ci) && ci.length === 2 ? pair(ci[0], ci[1]) : null;
  const n = found['n'];
  const completed = found['completed_share'];
  return {
    scheme,
    p50: ms(found['p50']),
    p99: ms(found['p99']),
    atLeast: found['p99_at_least'] === true,
    ci: interval,
    n: typeof n === 'number' ? n : 0,
    completed: typeof completed === 'number' ? completed : null,
  };
}

/** How many seeds the result has, in words for its caption. */
export function seedsOf(summary: unknown): string {
  const seeds = object(summary)?.['seeds'];
  return Array.isArray(seeds) ? (seeds.length === 1 ? 'seed ' + String(seeds[0]) : `${seeds.length} seeds`) : 'its seeds';
}

/** One recording's values, and what the result says of its scheme. */
export interface Sample {
  name: string;
  sorted: readonly { value: number; id: number }[];
  known: Known | null;
}

/** CDFs on a log axis; values of zero, which such an axis does not have, begin at its left end. Null without values. */
export function cdfs(samples: readonly Sample[], metric: Metric): { drawing: Drawing; unit: Unit } | null {
  const all = samples.flatMap((sample) => sample.sorted.map((one) => one.value));
  if (all.length === 0) return null;
  const positive = all.filter((value) => value > 0);
  const unit = TITLES[metric].time ? unitOf(all) : { name: '', per: 1 };
  const log = metric !== 'detours';
  const floor = log ? Math.min(...positive, Infinity) / 1.3 : 0;
  const lines = samples.flatMap((sample, i): Line[] => {
    if (sample.sorted.length === 0) return [];
    const x: number[] = [];
    const y: number[] = [];
    const n = sample.sorted.length;
    sample.sorted.forEach((one, rank) => {
      // Of equal values the last rank says how many there are.
      if (sample.sorted[rank + 1]?.value === one.value) return;
      x.push(Math.max(one.value, floor) / unit.per);
      y.push((rank + 1) / n);
    });
    return [{ label: `${sample.name}, n = ${n}`, colour: seriesColour(i), kind: 'step', ...(i % 2 === 1 ? { dash: [7, 4] } : {}), x: [(x[0] as number), ...x], y: [0, ...y] }];
  });
  const whiskers = samples.flatMap((sample, i): Whisker[] => (sample.known?.p99 == null ? [] : [{ y: 0.99, x: sample.known.p99 / unit.per, low: sample.known.ci ? sample.known.ci[0] / unit.per : null, high: sample.known.ci ? sample.known.ci[1] / unit.per : null, colour: seriesColour(i) }]));
  const ends = [...all.filter((value) => !log || value > 0).map((value) => value / unit.per), ...whiskers.flatMap((one) => [one.x, one.low ?? one.x, one.high ?? one.x])];
  const [low, high] = [ends.reduce((a, b) => Math.min(a, b), Infinity), ends.reduce((a, b) => Math.max(a, b), 0)];
  return {
    unit,
    drawing: {
      x: { label: TITLES[metric].time ? `${TITLES[metric].title.toLowerCase()}, ${unit.name}` : TITLES[metric].title.toLowerCase(), log, range: log ? [low / 1.15, high * 1.15] : [0, Math.max(high * 1.05, 1)] },
      y: { label: 'share of them', range: [0, 1.08] },
      lines,
      whiskers,
    },
  };
}

/** Times of both for the table of the slowest, and how they differ. */
export function faster(a: Ps | null, b: Ps | null): number | null {
  return a === null || b === null || b === 0 ? null : a / b;
}

function object(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

/** An interval in milliseconds, in picoseconds. */
function pair(low: unknown, high: unknown): [number, number] | null {
  return typeof low === 'number' && typeof high === 'number' ? [low * 1e9, high * 1e9] : null;
}
