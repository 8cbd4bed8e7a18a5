/**
 * A packet's path as a figure, after Figure 1 of DIBS (EuroSys 2014): each node once, hosts below and cores on top, an arc for each link with the
 * numbers of the hops that went over it. The paper's arcs are as thick as they were travelled often and say no order; here both are seen.
 *
 * **Units**  of a drawing that is 360 wide.
 */
import type { Head, Journey } from '../engine/api';

export interface Stop {
  node: number;
  name: string;
  host: boolean;
  x: number;
  y: number;
}

export interface Arc {
  from: number;
  to: number;
  port: number;
  /** Which hops, from 1 on. */
  hops: number[];
  /** Any of them was a detour. */
  detoured: boolean;
  /** The arc, and where its numbers stand. */
  path: string;
  x: number;
  y: number;
}

export interface Route {
  stops: Stop[];
  arcs: Arc[];
  width: number;
  height: number;
  /** Where it was dropped: the node, and the port that it wanted. */
  dropped: number | null;
}

const WIDTH = 360;
const ROW = 76;
const TOP = 30;

/** Lays a journey out. */
export function route(head: Head, journey: Journey): Route {
  const { nodes, links } = head.network;
  const visited: number[] = [];
  const arcs = new Map<number, Arc>();
  journey.path.forEach((hop, i) => {
    const link = links[hop.port];
    if (link === undefined) return;
    for (const node of [link.from, link.to]) if (!visited.includes(node)) visited.push(node);
    const arc = arcs.get(hop.port) ?? { from: link.from, to: link.to, port: hop.port, hops: [], detoured: false, path: '', x: 0, y: 0 };
    arc.hops.push(i + 1);
    arc.detoured ||= hop.detoured;
    arcs.set(hop.port, arc);
  });

  const levels = new Map(visited.map((node) => [node, levelOf(head, node)]));
  const rows = [...new Set(levels.values())].sort((a, b) => b - a);
  const places = new Map<number, { x: number; y: number }>();
  rows.forEach((level, row) => {
    // In the order of their numbers, so that a pod's switches stand as in the drawing of the network.
    const members = visited.filter((node) => levels.get(node) === level).sort((a, b) => a - b);
    members.forEach((node, i) => places.set(node, { x: (WIDTH * (i + 0.5)) / members.length, y: TOP + row * ROW }));
  });

  for (const arc of arcs.values()) {
    const [a, b] = [places.get(arc.from), places.get(arc.to)];
    if (!a || !b) continue;
    // Both directions of a cable bend apart, each to its own left.
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy) || 1;
    const bend = arcs.has(arc.port ^ 1) || a.y === b.y ? 22 : 0;
    const middle = { x: (a.x + b.x) / 2 + (dy / length) * bend, y: (a.y + b.y) / 2 - (dx / length) * bend };
    const gap = 12 / length;
    const start = { x: a.x + dx * gap, y: a.y + dy * gap };
    const end = { x: b.x - dx * gap, y: b.y - dy * gap };
    arc.path = `M${round(start.x)} ${round(start.y)}Q${round(middle.x)} ${round(middle.y)} ${round(end.x)} ${round(end.y)}`;
    // On the curve, or beside a straight line.
    arc.x = round((start.x + 2 * middle.x + end.x) / 4 + (bend === 0 ? 9 : (dy / length) * 8));
    arc.y = round((start.y + 2 * middle.y + end.y) / 4 - (dx / length) * 4);
  }
  const last = journey.path.at(-1);
  const lastLink = last && links[last.port];
  return {
    stops: visited.map((node) => ({ node, name: nodes[node]?.name ?? `node ${node}`, host: nodes[node]?.host ?? false, ...(places.get(node) ?? { x: 0, y: 0 }) })),
    arcs: [...arcs.values()],
    width: WIDTH,
    height: TOP + Math.max(rows.length - 1, 0) * ROW + 34,
    dropped: journey.end === 'dropped' && lastLink ? (last.dequeued === null ? lastLink.from : lastLink.to) : null,
  };
}

/** Rows from below: hosts, edges, aggregation, cores; switches of networks without tiers above the hosts. */
function levelOf(head: Head, node: number): number {
  const info = head.network.nodes[node];
  if (!info || info.host) return 0;
  const tier = (info.tier ?? '').toLowerCase();
  if (/core|super|root/.test(tier)) return 3;
  if (/agg|spine/.test(tier)) return 2;
  return 1;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The packets of a flow before and after this one, in the order in which they were sent; null where there is none. */
export function neighbours(packets: Uint32Array, packet: number): { before: number | null; after: number | null; place: number } {
  const place = packets.indexOf(packet);
  if (place < 0) return { before: null, after: null, place };
  return { before: packets[place - 1] ?? null, after: packets[place + 1] ?? null, place };
}
