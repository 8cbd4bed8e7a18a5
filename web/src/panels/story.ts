/**
 * What a stranger should see first: the slowest query of the first recording, why it was slow, and what became of the same query in the
 * other one.
 */
import type { Breakdown, Player, Ps, Query } from '../engine/api';
import { moment, type Moment } from './breakdown';
import { asked, type Side } from './sides';
import { digits, time } from '../units';

/** One recording's answer about one query. */
export interface Telling {
  side: number;
  name: string;
  /** null where the recording does not have the query, or cannot say. */
  breakdown: Breakdown | null;
  problem?: string;
  /** From the question to the last answer; null for one that did not complete. */
  took: Ps | null;
}

export interface Story {
  query: number;
  tellings: Telling[];
  /** In a sentence: how the two compare; empty with one recording. */
  compares: string;
}

/** The slowest query that is complete; one that never completed where none is; null without queries. */
export function slowest(player: Player): number | null {
  let best: { id: number; qct: Ps } | null = null;
  for (const query of player.completions().queries) if (best === null || query.qct > best.qct) best = query;
  return best?.id ?? player.tail.queries[0]?.id ?? null;
}

/** Queries by their time, the slowest first, with the time of the same query in each recording. */
export function ranking(sides: readonly Side[]): { id: number; qcts: (Ps | null)[] }[] {
  const all = sides.map((side) => new Map(side.player.completions().queries.map((query) => [query.id, query.qct])));
  const first = all[0];
  if (first === undefined) return [];
  return [...first.entries()].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([id]) => ({ id, qcts: all.map((one) => one.get(id) ?? null) }));
}

/** What each recording tells about a query. */
export function tell(sides: readonly Side[], query: number): Story {
  const tellings = sides.map((side, number): Telling => {
    const { answer, problem } = asked(() => side.player.query(query));
    if (answer === undefined) return { side: number, name: side.name, breakdown: null, problem, took: null };
    return { side: number, name: side.name, breakdown: answer, took: taken(answer.query) };
  });
  return { query, tellings, compares: compares(tellings) };
}

function taken(query: Query): Ps | null {
  return query.end === null ? null : query.end - query.start;
}

function compares([first, second]: Telling[]): string {
  if (!first?.breakdown || !second?.breakdown) return '';
  if (first.took === null || second.took === null) return '';
  const [slow, fast] = first.took >= second.took ? [first, second] : [second, first];
  const ratio = (slow.took as number) / (fast.took as number);
  if (ratio < 1.05) return `${slow.name} and ${fast.name} took nearly the same time: ${time(slow.took as number)} and ${time(fast.took as number)}.`;
  return `The same query took ${time(slow.took as number)} with ${slow.name} and ${time(fast.took as number)} with ${fast.name}: ${digits(ratio)} times as long.`;
}

/** How "show me" plays: from where, how fast, and what is selected. */
export interface Showing {
  from: Ps;
  /** Simulated picoseconds in a second of the reader's time. */
  speed: number;
  moment: Moment;
  side: number;
  flow: number | null;
}

/**
 * Begins at the question where the moment is near it, else 2 ms before, and takes ten seconds until half a millisecond after: a burst fills
 * a queue of 100 packets at 1 Gbps in 1.2 ms, so it is seen to fill.
 */
export function show(sides: readonly Side[], telling: Telling): Showing | null {
  const side = sides[telling.side];
  if (!side || !telling.breakdown) return null;
  const found = moment(side.player, telling.breakdown);
  const from = Math.max(side.player.head.from, telling.breakdown.query.start - LEAD, found.at - 2e9);
  return { from, speed: Math.max((found.at + 5e8 - from) / 10, 1e6), moment: found, side: telling.side, flow: telling.breakdown.last };
}

/** 20 µs: enough to see that nothing has happened yet. */
const LEAD = 2e7;
