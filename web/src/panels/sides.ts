/** What every panel is given: the recordings that are shown, the selection, the clock's instant, and how to change them. */
import type { Head, Player, Ps } from '../engine/api';

/** One of the recordings that stand side by side. */
export interface Side {
  /** How it is called in heads and legends: its scheme, and more where two have the same. */
  name: string;
  player: Player;
}

/** What is selected. `side` says of which recording a packet is; everything else is the same in both. */
export interface Selection {
  packet?: number;
  node?: number;
  port?: number;
  flow?: number;
  query?: number;
  side?: number;
}

export interface PanelProps {
  sides: Side[];
  selection: Selection;
  at: Ps;
  /** Goes to an instant, and selects what is given with it. */
  jump: (at: Ps, select?: Selection) => void;
  select: (selection: Selection) => void;
}

/** Names that differ: the scheme where that is enough, else with the seed, else with the file's name. */
export function names(all: readonly { name: string; scheme: string; seed: string; source?: string }[]): string[] {
  const ways = [
    (one: (typeof all)[number]) => one.scheme,
    (one: (typeof all)[number]) => `${one.scheme}, ${one.source ?? ''}`,
    (one: (typeof all)[number]) => `${one.scheme}, seed ${one.seed}`,
    (one: (typeof all)[number]) => one.name,
  ];
  for (const way of ways) {
    const words = all.map(way);
    if (new Set(words).size === words.length) return words;
  }
  return all.map((one, i) => `${one.name} (${i + 1})`);
}

/** A port in words: `edge 0.1 to host 3`. */
export function portName(head: Head, port: number): string {
  const link = head.network.links[port];
  if (link === undefined) return `port ${port}`;
  return `${nodeName(head, link.from)} to ${nodeName(head, link.to)}`;
}

export function nodeName(head: Head, node: number): string {
  return head.network.nodes[node]?.name ?? `node ${node}`;
}

/** What a recording answers, or why it has no answer: panels show the words in the place of a chart. */
export function asked<T>(ask: () => T): { answer: T; problem?: undefined } | { answer?: undefined; problem: string } {
  try {
    return { answer: ask() };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
