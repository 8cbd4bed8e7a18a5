/**
 * A recording that never was, for tests of the panels: three hosts answer a fourth over three switches.
 *
 * The `slow` one loses packet 7 of flow 2 at `edge 0` at 200 µs and waits 10 ms for its timer; the other one detours it twice. Numbers are
 * chosen to be read, not to follow from a model.
 */
import type { Breakdown, Completions, Flow, FlowSeries, Frame, Happening, Head, Journey, Player, Ps, QueueSeries, Tail, Waiting } from '../src/engine/api';
import { Refused } from '../src/engine/api';

export const US = 1e6;
export const MS = 1e9;

const NODES: Head['network']['nodes'] = [
  ...[0, 1, 2, 3].map((i) => ({ name: `host ${i}`, host: true })),
  { name: 'edge 0', host: false, tier: 'edge', pod: '0' },
  { name: 'edge 1', host: false, tier: 'edge', pod: '1' },
  { name: 'core 0', host: false, tier: 'core' },
];
/** Cables by their ends; the first one's link is 0 up and 1 down. */
const CABLES = [
  [0, 4],
  [1, 4],
  [2, 5],
  [3, 5],
  [4, 6],
  [5, 6],
] as const;

export interface Shape {
  scheme?: string;
  slow?: boolean;
  queries?: boolean;
}

export function fake({ scheme = 'dctcp', slow = true, queries = true }: Shape = {}): Player {
  const end = slow ? 12 * MS : 2 * MS;
  const links = CABLES.flatMap(([a, b], i) => [
    { from: a, port: i, to: b, rate_bps: 1e9, delay_ps: US, queue_packets: 100 },
    { from: b, port: i, to: a, rate_bps: 1e9, delay_ps: US, queue_packets: 100 },
  ]);
  const head: Head = { source: 'simulator', scenario: 'a small incast', scheme, seed: '1', from: 0, window: 'all of it', flows: 'all', reasons: ['full'], network: { kind: 'custom', nodes: NODES, links } };
  const flows: Flow[] = [1, 2, 3].map((src, id) => ({ id, src, dst: 0, bytes: 20_000, class: 0, query: 3, start: 50 * US, end: id === 2 ? end : MS }));
  const tail: Tail = {
    to: 15 * MS,
    ended: 'the run ended',
    counts: [],
    packets: 9,
    classes: ['query'],
    flows: queries ? flows : flows.map(({ query: _, ...flow }) => flow),
    queries: queries ? [{ id: 3, target: 0, class: 0, responses: 3, start: 50 * US, end }] : [],
  };

  const empty = <T extends Float64Array | Uint32Array>(make: (n: number) => T) => make(0);
  const none = () => empty((n) => new Float64Array(n));

  function journey(packet: number): Journey {
    if (packet > 8) throw new Refused(`packet ${packet} is not in the recording, which has 9`);
    const hop = (port: number, at: Ps, detoured = false, wanted: number | null = null) => ({ port, enqueued: at, dequeued: at + 12 * US, before: 3, detoured, wanted });
    const lost = slow && packet === 7;
    return {
      packet,
      flow: packet === 8 ? 1 : 2,
      kind: packet === 6 ? 'ack' : 'data',
      seq: packet * 1460,
      bytes: 1460,
      again: false,
      sent: 100 * US,
      end: lost ? 'dropped' : 'delivered',
      ended: lost ? 200 * US : 400 * US,
      detours: !slow && packet === 7 ? 2 : 0,
      marked: true,
      path: lost ? [hop(6, 100 * US), hop(10, 150 * US)] : !slow && packet === 7 ? [hop(6, 100 * US), hop(10, 150 * US), hop(8, 200 * US, true, 1), hop(9, 240 * US), hop(8, 260 * US, true, 1), hop(9, 290 * US), hop(1, 330 * US)] : [hop(6, 100 * US), hop(10, 150 * US), hop(9, 200 * US), hop(1, 330 * US)],
      happenings: [
        happening(100 * US, 'send', 'host 3 sends it', packet),
        lost ? happening(200 * US, 'drop', 'edge 0 drops it: the queue to host 0 holds 100 of 100 packets', packet) : happening(330 * US, 'enqueue', 'edge 0 enqueues it for host 0', packet),
      ],
    };
  }

  return {
    head,
    tail,
    bytes: 1234,
    memory: () => 5678,
    frame: (at): Frame => ({ at, packets: new Uint32Array(12), bytes: new Float64Array(12), use: new Float32Array(12), detours: new Uint32Array(12), drops: new Uint32Array(12), moving: 0, packet: new Uint32Array(0), port: new Uint32Array(0), progress: new Float32Array(0), flags: new Uint8Array(0), flow: new Uint32Array(0) }),
    next: (at) => (at < 15 * MS ? at + US : null),
    previous: (at) => (at > 0 ? at - US : null),
    waiting: (): Waiting[] => [{ packet: 7, flow: 2, bytes: 1500, flags: 4 }],
    happenings: (from, to, _most, only): Happening[] => {
      const drop = happening(200 * US, 'drop', 'edge 0 drops it: the queue to host 0 holds 100 of 100 packets', 7);
      const wanted = only?.kinds === undefined || only.kinds.includes('drop');
      return slow && wanted && from <= drop.at && drop.at < to ? [drop] : [];
    },
    journey,
    queues: (node, from, to, buckets): QueueSeries => ({
      node,
      from,
      to,
      buckets,
      ports: links.flatMap((link, port) => (link.from === node ? [{ port, to: link.to, packets: new Float64Array(buckets).fill(port), bytes: new Float64Array(buckets).fill(port * 1500), detours: one(buckets, 2, slow ? 0 : 4), drops: one(buckets, 3, slow ? 5 : 0) }] : [])),
    }),
    flow: (id): FlowSeries => {
      const flow = tail.flows.find((one) => one.id === id) ?? null;
      return {
        flow,
        sent: { at: Float64Array.of(100 * US, 110 * US, 10 * MS), seq: Float64Array.of(0, 1460, 1460), bytes: Float64Array.of(1460, 1460, 1460), again: Uint8Array.of(0, 0, 1), packet: Uint32Array.of(5, 7, 8) },
        acked: { at: Float64Array.of(300 * US), seq: Float64Array.of(1460), marked: Uint8Array.of(1) },
        marks: { at: Float64Array.of(150 * US), packet: Uint32Array.of(5) },
        drops: slow ? { at: Float64Array.of(200 * US), packet: Uint32Array.of(7) } : { at: none(), packet: empty((n) => new Uint32Array(n)) },
        windows: { at: Float64Array.of(100 * US, 10 * MS), cwnd: Float64Array.of(14_600, 1460), ssthresh: Float64Array.of(2 ** 63, 7300), acked: Float64Array.of(0, 1460), timeouts: Float64Array.of(0, 1) },
      };
    },
    query: (id): Breakdown => {
      const query = tail.queries.find((one) => one.id === id);
      if (query === undefined) throw new Refused(`query ${id} is not in the recording`);
      const parts: Breakdown['parts'] = slow
        ? [
            { kind: 'host', from: 50 * US, to: 150 * US, says: 'it waits in the queue of host 3' },
            { kind: 'queue', from: 150 * US, to: 200 * US, says: 'it waits at edge 0' },
            { kind: 'timeout', from: 200 * US, to: 10.2 * MS, says: 'nothing moves until the timer of host 3 runs out' },
            { kind: 'link', from: 10.2 * MS, to: 12 * MS, says: 'on links' },
          ]
        : [
            { kind: 'queue', from: 50 * US, to: MS, says: 'it waits at edge 0' },
            { kind: 'detour', from: MS, to: 1.5 * MS, says: 'core 0 sends it back' },
            { kind: 'link', from: 1.5 * MS, to: 2 * MS, says: 'on links' },
          ];
      const kinds = [...new Set(parts.map((part) => part.kind))];
      return {
        query,
        last: 2,
        parts,
        sums: kinds.map((kind) => ({ kind, ps: parts.filter((part) => part.kind === kind).reduce((sum, part) => sum + part.to - part.from, 0) })),
        hops: [{ port: 1, ps: 950 * US, packets: 14 }],
        says: slow ? 'Flow 2 came last: it lost a packet at edge 0 and waited 10 ms for its retransmission timer.' : 'Flow 2 came last: two detours cost it 500 µs, and nothing was lost.',
      };
    },
    completions: (): Completions => ({
      flows: tail.flows.map((flow) => ({ id: flow.id, class: 0, bytes: 20_000, fct: (flow.end ?? 0) - flow.start, slowdown: ((flow.end ?? 0) - flow.start) / (200 * US), detours: slow ? 0 : flow.id, query: flow.query ?? null })),
      queries: tail.queries.map((query) => ({ id: query.id, class: 0, qct: (query.end ?? 0) - query.start, responses: 3 })),
      unfinished: { flows: 0, queries: 0 },
    }),
    close() {},
  };

  function happening(at: Ps, kind: string, says: string, packet: number): Happening {
    return { at, kind, port: kind === 'drop' ? 1 : null, packet, flow: 2, says };
  }
}

function one(buckets: number, at: number, value: number): Float64Array {
  const values = new Float64Array(buckets);
  values[at] = value;
  return values;
}
