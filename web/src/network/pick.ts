/** What is at a point of the drawing: a packet before a queue before a node before a link. */
import type { Frame, Network } from '../engine/api.ts';
import type { Geometry } from './geometry.ts';
import type { Layout } from './layout.ts';
import type { Packets } from './packets.ts';
import type { Hit } from './types.ts';
import type { View } from './view.ts';

/** How far from a thing a pointer may be, in CSS pixels; a finger more. */
export const REACH = { mouse: 7, touch: 18 };

export function pick(x: number, y: number, reach: number, ratio: number, network: Network, layout: Layout, geo: Geometry, view: View, frame: Frame, packets: Packets): Hit | null {
  const near = packets.near(x * ratio, y * ratio, reach * ratio);
  if (near >= 0 && near < frame.moving) {
    return { kind: 'packet', packet: frame.packet[near]!, flow: frame.flow[near]!, flags: frame.flags[near]!, port: frame.port[near]! };
  }
  const [wx, wy] = [(x - view.x) / view.scale, (y - view.y) / view.scale];
  const far = reach / view.scale;
  const bar = nearest(network.links.length, far, (p) => (network.nodes[network.links[p]!.from]?.host ? Infinity : segment(wx, wy, geo.bx1[p]!, geo.by1[p]!, geo.bx2[p]!, geo.by2[p]!)));
  const node = nearest(network.nodes.length, far, (i) => box(wx, wy, layout.x[i]!, layout.y[i]!, layout.w[i]!, layout.h[i]!));
  if (node.at >= 0 && (node.far <= 0 || node.far < bar.far)) return { kind: 'node', node: node.at };
  if (bar.at >= 0) return { kind: 'port', port: bar.at };
  const link = nearest(network.links.length, far, (p) => segment(wx, wy, geo.x1[p]!, geo.y1[p]!, geo.x2[p]!, geo.y2[p]!));
  return link.at >= 0 ? { kind: 'port', port: link.at } : null;
}

function nearest(n: number, reach: number, far: (i: number) => number): { at: number; far: number } {
  let best = { at: -1, far: Infinity };
  for (let i = 0; i < n; i++) {
    const f = far(i);
    if (f <= reach && f < best.far) best = { at: i, far: f };
  }
  return best;
}

/** From a point to a segment. */
export function segment(x: number, y: number, x1: number, y1: number, x2: number, y2: number): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const t = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}

/** From a point to a box, 0 or less inside. */
function box(x: number, y: number, cx: number, cy: number, w: number, h: number): number {
  const [dx, dy] = [Math.abs(x - cx) - w / 2, Math.abs(y - cy) - h / 2];
  return dx <= 0 && dy <= 0 ? Math.max(dx, dy) : Math.hypot(Math.max(dx, 0), Math.max(dy, 0));
}
