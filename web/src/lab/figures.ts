/**
 * The numbers of runs that stand beside each other, from `summary.json`.
 *
 * Decision  a row that none of the runs has anything for is left out.
 * Units     in each row's name; one seed, so no intervals.
 */
import type { Done } from '../engine/api.ts';

export interface Row {
  name: string;
  cells: string[];
}

type Json = Record<string, unknown>;

interface Figure {
  name: string;
  of(summary: Json): string | undefined;
}

const FIGURES: Figure[] = [
  { name: 'query completion, median (ms)', of: (s) => percentile(s, 'qct_ms', 'p50') },
  { name: 'query completion, slowest (ms)', of: (s) => percentile(s, 'qct_ms', 'max') },
  { name: 'flow completion, median (ms)', of: (s) => percentile(s, 'fct_all_ms', 'p50') },
  { name: 'flow completion, 99th percentile (ms)', of: (s) => percentile(s, 'fct_all_ms', 'p99') },
  { name: 'flow completion, slowest (ms)', of: (s) => percentile(s, 'fct_all_ms', 'max') },
  { name: 'flows completed (%)', of: (s) => share(object(s['fct_all_ms'])['completed_share']) },
  { name: 'packets dropped', of: (s) => whole(sum(object(s['drops']))) },
  { name: 'detours and deflections', of: (s) => whole(s['detours']) },
  { name: 'ECN marks', of: (s) => whole(s['marks']) },
  { name: 'timeouts', of: (s) => whole(s['timeouts']) },
  { name: 'retransmissions', of: (s) => whole(s['retransmits']) },
  { name: 'simulated time (ms)', of: (s) => scaled(s['simulated_s'], 1e3) },
  { name: 'packet-hops', of: (s) => whole(s['packet_hops']) },
];

/** A row for each figure, a cell for each run. */
export function figures(runs: Done[]): Row[] {
  const summaries = runs.map((run) => object(run.summary));
  const rows = FIGURES.map((figure) => {
    const cells = summaries.map((summary) => figure.of(summary));
    return { name: figure.name, cells };
  });
  const there = rows.filter((row) => row.cells.some((cell) => cell !== undefined));
  return there.map((row) => ({ name: row.name, cells: row.cells.map((cell) => cell ?? '–') }));
}

/** Was the run ended before its end? */
export function isInterrupted(run: Done): boolean {
  return object(run.summary)['interrupted'] === true;
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** What is censored is a lower bound, and says so. */
function percentile(summary: Json, of: string, which: string): string | undefined {
  const times = object(summary[of]);
  const value = times[which];
  if (typeof value !== 'number') return undefined;
  return (times[`${which}_at_least`] === true ? '≥ ' : '') + digits(value);
}

function whole(value: unknown): string | undefined {
  return typeof value === 'number' ? value.toLocaleString('en') : undefined;
}

function scaled(value: unknown, by: number): string | undefined {
  return typeof value === 'number' ? digits(value * by) : undefined;
}

function share(value: unknown): string | undefined {
  return typeof value === 'number' ? digits(value * 100) : undefined;
}

function digits(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

function sum(counts: Json): number | undefined {
  const all = Object.values(counts).filter((count): count is number => typeof count === 'number');
  return all.length === 0 ? undefined : all.reduce((a, b) => a + b, 0);
}
