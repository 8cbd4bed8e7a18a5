/**
 * What the page asks of a recording (`Player`) and of the simulator (`Lab`). Both are the WebAssembly module of `crates/wasm`;
 * the page itself knows no policy and no byte of the format.
 *
 * Times are picoseconds since the run began (`Ps`): exact as a number up to 2^53 ps, two and a half hours. *Ports* are numbers of
 * directed links (docs/reference/recording.md). Errors are thrown as `Refused`, in words for people.
 */
export type Ps = number;

/** The beginning of a recording, as docs/reference/recording.md has it. */
export interface Head {
  source: 'simulator' | 'testbed';
  scenario: string;
  scheme: string;
  seed: string;
  from: Ps;
  window: string;
  flows: string;
  reasons: string[];
  network: Network;
}

export interface Network {
  kind: string;
  /** Hosts first, then switches. */
  nodes: Node[];
  /** The two directions of cable i are 2i and 2i + 1. */
  links: Link[];
}

export interface Node {
  name: string;
  host: boolean;
  tier?: string;
  pod?: string;
  shared_bytes?: number;
}

export interface Link {
  from: number;
  port: number;
  to: number;
  rate_bps: number;
  delay_ps: Ps;
  queue_packets?: number;
  queue_bytes?: number;
}

/** The end of a recording. */
export interface Tail {
  to: Ps;
  ended: string;
  counts: { kind: string; events: number }[];
  packets: number;
  classes: string[];
  flows: Flow[];
  queries: Query[];
}

export interface Flow {
  id: number;
  src: number;
  dst: number;
  bytes: number | null;
  class: number;
  query?: number;
  start: Ps;
  end: Ps | null;
  tuple?: string;
}

export interface Query {
  id: number;
  target: number;
  class: number;
  responses: number;
  start: Ps;
  end: Ps | null;
}

/** Bits of `Frame.flags`. */
export const ACK = 1;
export const AGAIN = 2;
export const MARKED = 4;
/** It was detoured or deflected by the switch behind it. */
export const DETOURED = 8;
export const TRIMMED = 16;

/** The network at one instant. The arrays are views of memory that the next call writes again: copy what is kept. */
export interface Frame {
  at: Ps;
  /** Of each port: packets and bytes of buffer that wait, the one in transmission included. */
  packets: Uint32Array;
  bytes: Float64Array;
  /** Of each port: how much of the time until `at`, over the span that was asked for, its link was sending; 0 to 1. */
  use: Float32Array;
  /** Of each port: detours and deflections into it, and drops at it, within that span. */
  detours: Uint32Array;
  drops: Uint32Array;
  /** How many packets move, in transmission or on links; the five arrays below have so many entries that count. */
  moving: number;
  packet: Uint32Array;
  port: Uint32Array;
  /** How much has passed of its transmission and its link's delay: 0 when its first bit leaves, 1 when its last one arrives. A packet in
   * transmission still waits in its queue's count, as in the model. */
  progress: Float32Array;
  flags: Uint8Array;
  flow: Uint32Array;
}

/** A packet that waits. */
export interface Waiting {
  packet: number;
  flow: number;
  bytes: number;
  flags: number;
}

/** One thing that happened, with a sentence that says it. */
export interface Happening {
  at: Ps;
  kind: string;
  /** null where there is none. */
  port: number | null;
  packet: number | null;
  flow: number | null;
  /** As in `edge 0.1 detours it to agg 0.0 instead of host 3: the queue to host 3 holds 100 of 100 packets`. */
  says: string;
}

/** Where a packet went. */
export interface Journey {
  packet: number;
  flow: number;
  /** `data`, `ack`, `syn`, `syn_ack`. */
  kind: string;
  seq: number;
  bytes: number;
  again: boolean;
  sent: Ps | null;
  /** `delivered`, `dropped`, or `under way` when the recording ends. */
  end: 'delivered' | 'dropped' | 'under way';
  ended: Ps | null;
  detours: number;
  marked: boolean;
  /** Ports that it went through, in order; a port it came back to stands there again. */
  path: { port: number; enqueued: Ps; dequeued: Ps | null; before: number; detoured: boolean; wanted: number | null }[];
  happenings: Happening[];
}

/** Queues of a switch or host over time: for each of its ports the longest queue of each of `buckets` equal parts of the time. */
export interface QueueSeries {
  node: number;
  from: Ps;
  to: Ps;
  buckets: number;
  ports: { port: number; to: number; packets: Float64Array; bytes: Float64Array; detours: Float64Array; drops: Float64Array }[];
}

/** A flow's sequence plot and its window. Times and values of one column have the same length. */
export interface FlowSeries {
  flow: Flow | null;
  sent: { at: Float64Array; seq: Float64Array; bytes: Float64Array; again: Uint8Array; packet: Uint32Array };
  acked: { at: Float64Array; seq: Float64Array; marked: Uint8Array };
  marks: { at: Float64Array; packet: Uint32Array };
  drops: { at: Float64Array; packet: Uint32Array };
  windows: { at: Float64Array; cwnd: Float64Array; ssthresh: Float64Array; acked: Float64Array; timeouts: Float64Array };
}

/** Why a query took so long: what the flow that completed it last was waiting for, from the query's start to its end. */
export interface Breakdown {
  query: Query;
  /** The flow whose last byte came last; null where none is complete. */
  last: number | null;
  /** Parts that follow each other and fill the time. `kind`: `before` (the flow had not started), `host` (waiting in the sender's
   * queue or for its window), `timeout`, `queue` (in a switch's queue), `detour` (hops that a detour added), `link` (transmission and delay),
   * `unknown` (the recording does not say: it is outside of it, or has a part of the packets). */
  parts: { kind: string; from: Ps; to: Ps; says: string }[];
  /** The same by kind, and of `queue` by hop. */
  sums: { kind: string; ps: Ps }[];
  hops: { port: number; ps: Ps; packets: number }[];
  /** In a sentence: why it was slow. */
  says: string;
}

/** How long the flows and queries took that were under way in the recording, those among them that ended after it. */
export interface Completions {
  flows: { id: number; class: number; bytes: number; fct: Ps; slowdown: number; detours: number; query: number | null }[];
  queries: { id: number; class: number; qct: Ps; responses: number }[];
  /** How many of them never ended. */
  unfinished: { flows: number; queries: number };
}

/** A recording that is open. */
export interface Player {
  readonly head: Head;
  readonly tail: Tail;
  /** Bytes of the file, and of memory that the player holds. */
  readonly bytes: number;
  memory(): number;
  /** Goes to an instant, forwards or backwards, and gives the network there. `span` is what use, detours and drops are counted over. */
  frame(at: Ps, span: Ps): Frame;
  /** The instant of the next event after, or the last one before, `at`; null where there is none. `port` asks for events at that port alone. */
  next(at: Ps, port?: number): Ps | null;
  previous(at: Ps, port?: number): Ps | null;
  /** Who waits at a port at an instant, in order. */
  waiting(at: Ps, port: number): Waiting[];
  happenings(from: Ps, to: Ps, most: number, only?: { port?: number; packet?: number; flow?: number; node?: number; kinds?: string[] }): Happening[];
  journey(packet: number): Journey;
  queues(node: number, from: Ps, to: Ps, buckets: number): QueueSeries;
  flow(id: number): FlowSeries;
  query(id: number): Breakdown;
  completions(): Completions;
  close(): void;
}

/** What is wrong, in words, and where it is known. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly details: Problem[] = [],
  ) {
    super(message);
    this.name = 'Refused';
  }
}

/** One problem of a scenario: the attributes of the command's `--json`. */
export interface Problem {
  message: string;
  file?: string;
  line?: number;
  column?: number;
  key?: string;
  expected?: string;
  got?: string;
  suggestion?: string;
}

/** What a run under way tells. */
export interface Live {
  now: Ps;
  horizon: Ps;
  flows_done: number;
  flows_total: number;
  packet_hops: number;
  over: boolean;
  /** Of each port: packets that wait. */
  packets: Uint32Array;
}

/** What a run came to. */
export interface Done {
  scheme: string;
  seed: string;
  /** The trajectory hash, as `sidestep run --json` prints it. */
  hash: string;
  /** The summary of this run, as in `summary.json` for one scheme. */
  summary: unknown;
  warnings: string[];
  /** The recording's bytes; empty when none was asked for. */
  recording: Uint8Array;
}

/** The simulator, in a worker: one run at a time. */
export interface Lab {
  /** What `sidestep list --json` has: schemes, topologies, policies with their parameters, units and defaults. */
  lists(): Promise<unknown>;
  /** What is wrong with a scenario, or its schemes and network. `files` are what it names: paths to texts. */
  check(toml: string, files: Record<string, string>): Promise<{ schemes: string[]; network: Network; warnings: string[] }>;
  /** Runs one scheme with one seed; `live` hears of it some thirty times a second. `stop()` ends it where it is. */
  run(
    toml: string,
    files: Record<string, string>,
    options: { scheme: string; seed: string; record: boolean },
    live: (live: Live) => void,
  ): Promise<Done>;
  stop(): void;
}

/** What a page is opened with: in its own file, or `bundle.json` of `sidestep view`. */
export interface Bundle {
  version: 1;
  title: string;
  /** In the order to show them; the first two stand side by side. `data` is the file in base64, `url` where to fetch it. */
  recordings: { name: string; scheme: string; seed: string; source: string; bytes: number; data?: string; url?: string }[];
  /** `summary.json` of the result directory, for distributions with their intervals. */
  summary?: unknown;
}
