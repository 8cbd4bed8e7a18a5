/** What the drawing is told by whoever shows it, and what it tells back. */

/** What is selected. `side` says which of two drawings a packet belongs to; everything else is the same in both. */
export interface Selection {
  packet?: number;
  node?: number;
  port?: number;
  flow?: number;
  query?: number;
  side?: number;
}

/** How packets are coloured: by what they are, or by their flow. Their shape says what they are either way. */
export type Colouring = 'what' | 'flow';

export interface Options {
  colouring?: Colouring;
  /** Names of nodes, where there is room. */
  labels?: boolean;
  /** Over how much time use, detours and drops are counted, in ps; half a second of the clock's speed when it is not given. */
  span?: number;
}

/** What is under the pointer or has the focus. */
export type Hit = { kind: 'packet'; packet: number; flow: number; flags: number; port: number } | { kind: 'node'; node: number } | { kind: 'port'; port: number };

/** Whether two hits are of the same thing. */
export function same(a: Hit | null, b: Hit | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === 'packet') return b.kind === 'packet' && a.packet === b.packet;
  if (a.kind === 'node') return b.kind === 'node' && a.node === b.node;
  return b.kind === 'port' && a.port === b.port;
}
