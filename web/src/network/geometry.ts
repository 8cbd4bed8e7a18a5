/**
 * Where links and queues are drawn in a layout.
 *
 * **Decision**  a cable is two lines side by side, one for each direction, each on the right of who travels on it. A queue is a bar beside the
 *               beginning of its link, as long as its capacity. A detour bends to the right of its link, or to
 *               the left at the edge of the drawing.
 * **Units**     CSS pixels at zoom 1.
 */
import type { Network } from '../engine/api.ts';
import type { Layout } from './layout.ts';

/** Of each port (a directed link) its line, its bar and its bend. */
export interface Geometry {
  x1: Float32Array;
  y1: Float32Array;
  x2: Float32Array;
  y2: Float32Array;
  /** The bar of its queue, from the node on. */
  bx1: Float32Array;
  by1: Float32Array;
  bx2: Float32Array;
  by2: Float32Array;
  /** The point that pulls the bend of a detour (of a quadratic Bézier curve). */
  cx: Float32Array;
  cy: Float32Array;
  /** How thick bars are, and how much finer than usual lines are, where there are very many. */
  bar: number;
  fine: number;
}

/** A queue without a limit of its own is drawn as if it had so many packets: a bar must end somewhere. */
export const NO_LIMIT = 100;

const LONGEST_BAR = 64;

export function geometry(network: Network, layout: Layout): Geometry {
  const n = network.links.length;
  const many = (): Float32Array => new Float32Array(n);
  const to: Geometry = { x1: many(), y1: many(), x2: many(), y2: many(), bx1: many(), by1: many(), bx2: many(), by2: many(), cx: many(), cy: many(), bar: 3, fine: 1 };
  const ends = anchors(network, layout);
  const pitch = tightest(network, layout);
  const apart = Math.min(Math.max(pitch * 0.12, 0.3), 3);
  to.bar = Math.min(Math.max(pitch * 0.4, 0.7), 6);
  to.fine = Math.min(1, Math.max(0.35, pitch / 6));
  for (let port = 0; port < n; port++) {
    const cable = (port >> 1) * 4;
    const back = (port & 1) * 2;
    let [x1, y1] = [ends[cable + back]!, ends[cable + back + 1]!];
    let [x2, y2] = [ends[cable + 2 - back]!, ends[cable + 3 - back]!];
    const long = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / long, (y2 - y1) / long];
    // To the right of the way, y downwards.
    const [rx, ry] = [-dy, dx];
    [x1, y1, x2, y2] = [x1 + rx * apart, y1 + ry * apart, x2 + rx * apart, y2 + ry * apart];
    const beside = apart + to.bar * 0.5 + 0.4;
    const bar = Math.min(LONGEST_BAR, long * 0.36, pitch * 6);
    const bend = inside(Math.min(long * 0.34, 70), (x1 + x2) / 2, rx, layout.width);
    to.x1[port] = x1;
    to.y1[port] = y1;
    to.x2[port] = x2;
    to.y2[port] = y2;
    to.bx1[port] = x1 + rx * (beside - apart + 0.4) + dx * 2;
    to.by1[port] = y1 + ry * (beside - apart + 0.4) + dy * 2;
    to.bx2[port] = to.bx1[port]! + dx * bar;
    to.by2[port] = to.by1[port]! + dy * bar;
    to.cx[port] = (x1 + x2) / 2 + rx * bend;
    to.cy[port] = (y1 + y2) / 2 + ry * bend;
  }
  return to;
}

/** The bend, to the left of the way where it would leave the drawing on the right. */
function inside(bend: number, x: number, rx: number, width: number): number {
  // The curve goes half as far as the point that pulls it.
  const far = x + (rx * bend) / 2;
  return far < 4 || far > width - 4 ? -bend : bend;
}

/** Of each cable x and y at both ends: on rows and chains at the side of the box that faces the other end, ports in the order of what they lead to. */
function anchors(network: Network, layout: Layout): Float64Array {
  const { links } = network;
  const ends = new Float64Array(links.length * 2);
  const upright = layout.form === 'rows' || layout.form === 'chain';
  const sides = new Map<string, { cable: number; end: number; node: number; order: number }[]>();
  for (let port = 0; port < links.length; port++) {
    const link = links[port]!;
    const [from, to] = [link.from, link.to];
    const [x, y] = [layout.x[from]!, layout.y[from]!];
    const [dx, dy] = [layout.x[to]! - x, layout.y[to]! - y];
    const [w, h] = [layout.w[from]! / 2, layout.h[from]! / 2];
    const [cable, end] = [port >> 1, port & 1];
    if (!upright) {
      const far = Math.hypot(dx, dy) || 1;
      ends[cable * 4 + end * 2] = x + (dx / far) * w;
      ends[cable * 4 + end * 2 + 1] = y + (dy / far) * h;
      continue;
    }
    const vertical = Math.abs(dy) > layout.h[from]! / 2 + layout.h[to]! / 2 && !(layout.form === 'chain' && Math.abs(dx) > Math.abs(dy) * 1.2);
    const side = vertical ? (dy < 0 ? 'up' : 'down') : dx < 0 ? 'left' : 'right';
    const key = `${from} ${side}`;
    const there = sides.get(key) ?? [];
    // By the direction in which they leave, so that lines do not cross at the box.
    there.push({ cable, end, node: from, order: vertical ? Math.atan2(dx, Math.abs(dy)) : Math.atan2(dy, Math.abs(dx)) });
    sides.set(key, there);
  }
  for (const [key, there] of sides) {
    const side = key.split(' ')[1];
    there.sort((a, b) => a.order - b.order || a.cable - b.cable);
    there.forEach(({ cable, end, node }, i) => {
      const at = ((i + 0.5) / there.length - 0.5) * 0.94;
      const [x, y, w, h] = [layout.x[node]!, layout.y[node]!, layout.w[node]!, layout.h[node]!];
      const point = side === 'up' ? [x + at * w, y - h / 2] : side === 'down' ? [x + at * w, y + h / 2] : [x + (side === 'left' ? -w : w) / 2, y + at * h];
      ends[cable * 4 + end * 2] = point[0]!;
      ends[cable * 4 + end * 2 + 1] = point[1]!;
    });
  }
  return ends;
}

/** The width of a box for each of its ports on its fullest side, at the tightest switch: what is beside a line must fit there. */
function tightest(network: Network, layout: Layout): number {
  const up = new Int32Array(network.nodes.length);
  const down = new Int32Array(network.nodes.length);
  for (const { from, to } of network.links) (layout.y[to]! < layout.y[from]! ? up : down)[from]!++;
  let least = 20;
  network.nodes.forEach((node, i) => {
    if (node.host) return;
    const ports = Math.max(up[i]!, down[i]!, 1);
    const room = layout.form === 'rows' || layout.form === 'chain' ? Math.max(layout.w[i]!, layout.h[i]!) : layout.w[i]! * 1.5;
    least = Math.min(least, room / ports);
  });
  return Math.max(least, 1);
}

/** How full a queue is, 0 to 1: in packets, in bytes, or of what the switch's queues may hold together. */
export function fill(network: Network, port: number, packets: number, bytes: number): number {
  const link = network.links[port]!;
  if (link.queue_packets !== undefined && link.queue_packets > 0) return Math.min(1, packets / link.queue_packets);
  if (link.queue_bytes !== undefined && link.queue_bytes > 0) return Math.min(1, bytes / link.queue_bytes);
  const shared = network.nodes[link.from]?.shared_bytes;
  if (shared !== undefined && shared > 0) return Math.min(1, bytes / shared);
  return Math.min(1, packets / NO_LIMIT);
}
