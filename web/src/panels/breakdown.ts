/**
 * A query's time in parts: how kinds are called and coloured, which part made it slow, and which one an instant is in.
 *
 * **Units**  picoseconds.
 */
import type { Breakdown, Player, Ps } from '../engine/api';

export interface Kind {
  label: string;
  /** What it means, for the legend and for the table. */
  means: string;
  colour: string;
}

const KINDS: Record<string, Kind> = {
  before: { label: 'not started', means: 'the flow that came last had not begun to send', colour: '--line' },
  host: { label: 'at the sender', means: "in the sender's queue, or waiting for its window", colour: '--c6' },
  timeout: { label: 'timeout', means: 'nothing of it moves until a timer runs out, since a packet was lost', colour: '--c2' },
  queue: { label: 'in queues', means: 'behind other packets in queues of switches', colour: '--c1' },
  detour: { label: 'detours', means: 'on hops that a detour added', colour: '--c4' },
  link: { label: 'on links', means: 'transmission and propagation: what nobody can save', colour: '--c3' },
  unknown: { label: 'not known', means: 'the recording does not say: it is outside of it, or a packet was not recorded', colour: '--muted' },
};

/** How a kind is called; one that this page does not know has its own word. */
export function kindOf(kind: string): Kind {
  return KINDS[kind] ?? { label: kind, means: kind, colour: '--c7' };
}

/** The kinds in the order of their legend. */
export const ORDER = Object.keys(KINDS);

export type Part = Breakdown['parts'][number];

/** Consecutive parts that are drawn as one: of the same kind, or too thin to be seen at `width` pixels of `span`. */
export function drawn(parts: readonly Part[], span: Ps, width = 800): Part[] {
  const least = span / width;
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (last && last.to === part.from && (last.kind === part.kind || part.to - part.from < least)) out[out.length - 1] = { ...last, to: part.to };
    else out.push({ ...part });
  }
  return out;
}

/**
 * What made it slow: of the kind that took most, links, the time before and what is not known apart, the first part that is at least a third of the longest one.
 * The first of two timeouts follows from the burst that is to be seen; the second one only from the first.
 */
export function culprit(parts: readonly Part[]): Part | null {
  // What is not known may be long after the recording, where there is nothing to show.
  const told = parts.filter((part) => part.kind !== 'unknown');
  const avoidable = told.filter((part) => part.kind !== 'link' && part.kind !== 'before');
  const among = avoidable.length > 0 ? avoidable : told.length > 0 ? told : parts;
  const sums = new Map<string, number>();
  for (const part of among) sums.set(part.kind, (sums.get(part.kind) ?? 0) + part.to - part.from);
  const most = [...sums.entries()].sort((a, b) => b[1] - a[1])[0]?.[0];
  const blamed = among.filter((part) => part.kind === most);
  const longest = blamed.reduce((best, part) => Math.max(best, part.to - part.from), 0);
  return blamed.find((part) => part.to - part.from >= longest / 3) ?? null;
}

/** The part that an instant is in; null before the query and after it. */
export function partAt(parts: readonly Part[], at: Ps): Part | null {
  let [low, high] = [0, parts.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const part = parts[middle] as Part;
    if (at < part.from) high = middle - 1;
    else if (at >= part.to) low = middle + 1;
    else return part;
  }
  return null;
}

/** The moment to show, and what to select there: the drop of the last flow that its longest wait follows from, else where that begins. */
export interface Moment {
  at: Ps;
  packet: number | null;
  /** What happens there, in words. */
  says: string;
}

export function moment(player: Player, breakdown: Breakdown): Moment {
  const part = culprit(breakdown.parts);
  if (part === null) return { at: breakdown.query.start, packet: null, says: 'the query is asked' };
  if (part.kind === 'timeout' && breakdown.last !== null) {
    const drops = player.happenings(breakdown.query.start, part.to, 10_000, { flow: breakdown.last, kinds: ['drop'] }).filter((one) => one.at <= part.to);
    // The last drop before the wait began; a wait may be said to begin when the packet was sent, shortly before it was dropped.
    const drop = drops.filter((one) => one.at <= part.from).at(-1) ?? drops[0];
    if (drop) return { at: drop.at, packet: drop.packet, says: drop.says };
  }
  const detour = breakdown.last === null ? undefined : player.happenings(part.from, part.to + 1, 1, { flow: breakdown.last, kinds: ['detour', 'deflect', 'enqueue', 'drop'] })[0];
  return { at: part.from, packet: detour?.packet ?? null, says: part.says };
}
