/** A player over any network whose packets and queues move by formulas: the same instant looks the same, and no recording is needed. */
import { ACK, AGAIN, DETOURED, MARKED, type Frame, type Happening, type Journey, type Network, type Player, type Ps } from '../src/engine/api.ts';

/** A number in 0..1 that depends on `i` alone. */
function chance(i: number): number {
  let x = Math.imul(i + 1, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  return ((x ^ (x >>> 13)) >>> 0) / 4294967296;
}

/** `packets` on links at every instant of `to` ps. `calls` counts frames that were asked for. */
export function fake(network: Network, packets: number, to: Ps = 10e9): Player & { calls: number } {
  const n = network.links.length;
  const frame: Frame = {
    at: 0, packets: new Uint32Array(n), bytes: new Float64Array(n), use: new Float32Array(n), detours: new Uint32Array(n), drops: new Uint32Array(n),
    moving: packets, packet: new Uint32Array(packets), port: new Uint32Array(packets), progress: new Float32Array(packets), flags: new Uint8Array(packets), flow: new Uint32Array(packets),
  };
  const switchPorts = network.links.flatMap((link, p) => (network.nodes[link.from]!.host || network.nodes[link.to]!.host ? [] : [p]));
  const busy = network.links.map((_, p) => chance(p + 77) ** 2);
  const turn: Ps = 200e6;
  const player = {
    calls: 0,
    head: { source: 'simulator' as const, scenario: 'fake', scheme: 'fake', seed: '1', from: 0, window: 'all', flows: 'all', reasons: ['full'], network },
    tail: {
      to, ended: 'with the run', counts: [], packets, classes: ['query'],
      flows: Array.from({ length: 64 }, (_, id) => ({ id, src: 0, dst: 1, bytes: 20_000, class: 0, query: id >> 3, start: 0, end: to })),
      queries: Array.from({ length: 4 }, (_, id) => ({ id, target: 0, class: 0, responses: 8, start: (id * to) / 4, end: ((id + 0.7) * to) / 4 })),
    },
    bytes: 0,
    memory: () => 0,
    frame(at: Ps, _span: Ps): Frame {
      player.calls++;
      frame.at = at;
      for (let p = 0; p < n; p++) {
        const wave = Math.max(0, Math.sin(at / 900e6 + chance(p) * 6.3) * 1.6 - 0.55) * (busy[p]! > 0.25 ? 1 : 0.05);
        frame.packets[p] = Math.min(100, Math.round(wave * 105 * busy[p]!));
        frame.bytes[p] = frame.packets[p]! * 1500;
        frame.use[p] = Math.min(1, wave * 0.9 + busy[p]! * 0.5);
        const full = frame.packets[p]! >= 92;
        frame.drops[p] = full && chance(p + 5) < 0.1 ? 2 : 0;
        frame.detours[p] = 0;
      }
      for (let p = 0; p < switchPorts.length; p++) if (chance(p + Math.floor(at / 300e6) * 31) < 12 / switchPorts.length) frame.detours[switchPorts[p]!] = 1;
      for (let i = 0; i < packets; i++) {
        const moved = chance(i + 9) + (at / turn) * (0.6 + chance(i) * 0.8);
        const lap = Math.floor(moved);
        const flags = chance(i * 3 + lap);
        const detoured = flags > 0.995 && switchPorts.length > 0;
        frame.packet[i] = i;
        frame.port[i] = detoured ? switchPorts[(i * 13 + lap * 7) % switchPorts.length]! : (i * 7 + lap * 5) % n;
        frame.progress[i] = moved - lap;
        frame.flow[i] = i % 64;
        frame.flags[i] = detoured ? DETOURED : flags > 0.95 ? MARKED : flags > 0.93 ? AGAIN : flags < 0.4 ? ACK : 0;
      }
      return frame;
    },
    next: (at: Ps): Ps | null => (at >= to ? null : (Math.floor(at / 1e6) + 1) * 1e6),
    previous: (at: Ps): Ps | null => (at <= 0 ? null : (Math.ceil(at / 1e6) - 1) * 1e6),
    waiting: () => [],
    happenings(from: Ps, _to: Ps, most: number, only?: { port?: number; kinds?: string[] }): Happening[] {
      const many = Math.floor(chance(Math.floor(from / 1e6)) * 6) * (chance(Math.floor(from / 1e9)) > 0.5 ? 1 : 0);
      return Array.from({ length: Math.min(most, only?.port === undefined ? many : 1) }, () => ({
        at: from, kind: only?.kinds?.[0] ?? 'drop', port: only?.port ?? 0, packet: 1, flow: 1, says: 'that queue holds 100 of 100 packets: dropped, full',
      }));
    },
    /** From host 0 up, twice to and fro between two switches, and on: numbered hops on one link. */
    journey(packet: number): Journey {
      const path = wander(network).map((port, i, all) => ({ port, enqueued: i * 20e6, dequeued: i * 20e6 + 10e6, before: 3, detoured: i > 1 && i < all.length - 2, wanted: null }));
      return { packet, flow: packet % 64, kind: 'data', seq: 0, bytes: 1460, again: false, sent: 0, end: 'delivered', ended: path.length * 20e6, detours: 2, marked: false, path, happenings: [] };
    },
    queues: () => ({ node: 0, from: 0, to, buckets: 0, ports: [] }),
    flow: () => { throw new Error('the fake has no flows'); },
    query: () => { throw new Error('the fake has no queries'); },
    completions: () => ({ flows: [], queries: [], unfinished: { flows: 0, queries: 0 } }),
    close: () => undefined,
  };
  return player;
}

function wander(network: Network): number[] {
  const out = (node: number, host: boolean, not: number): number =>
    network.links.findIndex((link) => link.from === node && network.nodes[link.to]!.host === host && link.to !== not);
  const path = [network.links.findIndex((link) => link.from === 0)];
  for (const host of [false, false, false, true]) {
    const last = network.links[path.at(-1)!]!;
    const next = out(last.to, host, last.from);
    if (next < 0) break;
    path.push(next);
    if (!host && path.length === 3) path.push(next ^ 1, next);
  }
  return path;
}
