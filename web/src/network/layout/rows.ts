/**
 * Tiers as rows: switches next to hosts above them, then further tiers, the furthest on top; pods side by side.
 *
 * **Decision**  hosts below one switch stand in as few rows as leave 7.5 px each, so that a phone shows 128 of them, too.
 */
import type { Network } from '../../engine/api.ts';
import { blank, put, type Layout, type Size } from '../layout.ts';
import { grouped, type Graph } from './graph.ts';

/** Gaps, in columns of hosts: between switches of a pod, and between pods. */
const GAP = 0.7;
const POD_GAP = 2;
const READABLE = 7.5;
const MARGIN = 10;

export function asRows(network: Network, graph: Graph, size: Size): Layout {
  const to = blank('rows', network, size);
  const label = size.width >= 700 ? 58 : MARGIN;
  const room = size.width - label - MARGIN;
  const lowest = graph.switches.filter((s) => graph.rank[s] === 1);
  const pods = grouped(lowest, (s) => network.nodes[s]?.pod ?? '');
  const most = Math.max(1, ...lowest.map((s) => graph.hosts[s]!.length));
  const { stack, pitch, wide } = columns(lowest, pods.size, graph, room, most, size.height);
  // Of few hosts the drawing stands in the middle.
  const left = label + Math.max(0, (room - wide * pitch) / 2);
  const top = Math.max(...graph.switches.map((s) => graph.rank[s]!), 1);
  const rowGap = Math.min(Math.max(pitch, 7), 15);
  const side = Math.min(pitch * 0.72, rowGap * 0.8, 18);

  // Names of pods stand below their hosts, where no cable is.
  const podNames = lowest.some((s) => network.nodes[s]?.pod !== undefined) ? 16 : 0;
  const hostsEnd = size.height - MARGIN - podNames - side / 2;
  const firstHost = hostsEnd - (stack - 1) * rowGap;
  const above = Math.min(Math.max(size.height * 0.17, 34), 130);
  const lowY = top === 1 ? Math.max(40, firstHost * 0.3) : firstHost - above;
  const y = (rank: number): number => (top === 1 ? lowY : lowY - ((rank - 1) / (top - 1)) * (lowY - 34));

  const spans = new Map<string, { from: number; to: number }>();
  let column = 0;
  for (const [pod, members] of pods) {
    const from = column;
    for (const s of members) {
      const hosts = graph.hosts[s]!;
      const wide = Math.max(1, Math.ceil(hosts.length / stack));
      const x0 = left + column * pitch;
      put(to, s, x0 + (wide * pitch) / 2, y(1), Math.min(Math.max(wide * pitch * 0.92, pitch * 0.8), 130), switchHeight(pitch));
      hosts.forEach((host, i) => {
        const inRow = Math.min(wide, hosts.length - Math.floor(i / wide) * wide);
        const shift = ((wide - inRow) * pitch) / 2;
        put(to, host, x0 + shift + ((i % wide) + 0.5) * pitch, firstHost + Math.floor(i / wide) * rowGap, side, side);
      });
      column += wide + GAP;
    }
    spans.set(pod, { from: left + from * pitch, to: left + (column - GAP) * pitch });
    column += POD_GAP - GAP;
  }
  const whole = { from: left, to: left + Math.max(1, column - POD_GAP) * pitch };
  for (let rank = 2; rank <= top; rank++) {
    const row = graph.switches.filter((s) => graph.rank[s] === rank);
    const inPods = grouped(row, (s) => network.nodes[s]?.pod ?? '');
    for (const [pod, members] of inPods) spread(to, members, graph, (pod !== '' && spans.get(pod)) || whole, y(rank), pitch);
  }
  to.rows = names(network, graph, top, y, (firstHost + hostsEnd) / 2);
  to.groups = boxes(network, graph, to);
  return to;
}

/** In how many rows hosts stand, and how wide a column is. */
function columns(lowest: number[], pods: number, graph: Graph, room: number, most: number, height: number): { stack: number; pitch: number; wide: number } {
  let best = { stack: 1, pitch: 0, wide: 1 };
  for (let stack = 1; stack <= most && stack * 7 <= height * 0.4; stack++) {
    const wide = lowest.reduce((sum, s) => sum + Math.max(1, Math.ceil(graph.hosts[s]!.length / stack)), 0);
    const gaps = (lowest.length - pods) * GAP + (pods - 1) * POD_GAP;
    const pitch = Math.min(room / (wide + gaps), 110);
    if (pitch > best.pitch) best = { stack, pitch, wide: wide + gaps };
    if (pitch >= READABLE) break;
  }
  return best;
}

/** Side by side over a span, in the order of what is below them. */
function spread(to: Layout, members: number[], graph: Graph, span: { from: number; to: number }, y: number, pitch: number): void {
  const middle = (s: number): number => {
    const below = graph.near[s]!.filter((n) => graph.rank[n]! < graph.rank[s]!);
    return Math.round(below.reduce((sum, n) => sum + to.x[n]!, 0) / Math.max(1, below.length));
  };
  const sorted = members.map((s) => ({ s, at: middle(s) })).sort((a, b) => a.at - b.at || a.s - b.s);
  const step = (span.to - span.from) / sorted.length;
  const w = Math.min(step * 0.72, 80);
  sorted.forEach(({ s }, i) => put(to, s, span.from + (i + 0.5) * step, y, w, switchHeight(pitch)));
}

function switchHeight(pitch: number): number {
  return Math.min(Math.max(pitch * 1.6, 9), 18);
}

function names(network: Network, graph: Graph, top: number, y: (rank: number) => number, hosts: number): Layout['rows'] {
  const rows: Layout['rows'] = [];
  for (let rank = top; rank >= 1; rank--) {
    const tiers = new Set(graph.switches.filter((s) => graph.rank[s] === rank).map((s) => network.nodes[s]?.tier ?? 'switches'));
    rows.push({ name: [...tiers].join(', '), y: y(rank) });
  }
  return [...rows, { name: 'hosts', y: hosts }];
}

/** A box around each pod, its hosts included. */
function boxes(network: Network, graph: Graph, to: Layout): Layout['groups'] {
  const members = grouped(
    graph.switches.filter((s) => network.nodes[s]?.pod !== undefined),
    (s) => network.nodes[s]!.pod!,
  );
  return [...members].map(([pod, switches]) => {
    const all = switches.flatMap((s) => [s, ...graph.hosts[s]!]);
    const [x1, x2] = [Math.min(...all.map((i) => to.x[i]! - to.w[i]! / 2)), Math.max(...all.map((i) => to.x[i]! + to.w[i]! / 2))];
    const [y1, y2] = [Math.min(...all.map((i) => to.y[i]! - to.h[i]! / 2)), Math.max(...all.map((i) => to.y[i]! + to.h[i]! / 2))];
    const pad = Math.min(4, (to.width / Math.max(1, members.size)) * 0.04);
    return { name: `pod ${pod}`, x: x1 - pad, y: y1 - pad - 2, w: x2 - x1 + 2 * pad, h: y2 - y1 + pad + 18 };
  });
}
