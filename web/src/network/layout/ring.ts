/** Switches on an ellipse in their order, the hosts of each outside it: for graphs without tiers, whose cables are chords. */
import type { Network } from '../../engine/api.ts';
import { blank, put, type Layout, type Size } from '../layout.ts';
import type { Graph } from './graph.ts';

/** The longer axis over the shorter one, at most: on a flatter ellipse nodes crowd at its ends. */
const FLATTEST = 1.45;

export function asRing(network: Network, graph: Graph, size: Size): Layout {
  const to = blank('ring', network, size);
  const many = Math.max(1, graph.switches.length);
  const most = Math.max(0, ...graph.switches.map((s) => graph.hosts[s]!.length));
  const half = { x: size.width / 2 - 14, y: size.height / 2 - 14 };
  const outer = { x: Math.min(half.x, half.y * FLATTEST), y: Math.min(half.y, half.x * FLATTEST) };
  // Nodes are nearest to each other at the ends of the longer axis, and boxes meet first where their corners do.
  const slotOf = (radius: number): number => (2 * Math.PI * radius) / many;
  const narrow = Math.min(outer.x, outer.y);
  const slot = slotOf(narrow);
  // As many hosts beside each other as leave 9 px each; the others further in.
  const wide = Math.max(1, Math.min(most, Math.floor((slot * 0.86) / 9)));
  const layers = Math.ceil(most / wide);
  const step = Math.min(12, (narrow * 0.3) / Math.max(1, layers));
  const side = Math.min(step * 0.65, ((slot * 0.86) / wide) * 0.64, 9);
  const gap = Math.min(44, narrow * 0.2);
  const inwards = most === 0 ? 0 : (layers - 1) * step + gap;
  const box = Math.min(slotOf(narrow - inwards) * 0.66, 30);
  const centre = { x: size.width / 2, y: size.height / 2 };
  const place = (angle: number, in_: number): [number, number] => [
    centre.x + (outer.x - in_) * Math.cos(angle),
    centre.y + (outer.y - in_) * Math.sin(angle),
  ];
  graph.switches.forEach((s, i) => {
    const angle = (i / many) * 2 * Math.PI - Math.PI / 2;
    put(to, s, ...place(angle, inwards), box, box);
    const hosts = graph.hosts[s]!;
    hosts.forEach((host, h) => {
      const layer = Math.floor(h / wide);
      const inLayer = Math.min(wide, hosts.length - layer * wide);
      const shift = ((h % wide) - (inLayer - 1) / 2) * ((2 * Math.PI * 0.86) / many / wide);
      put(to, host, ...place(angle + shift, layer * step), side, side);
    });
  });
  aside(network, graph, to, side);
  return to;
}

/** Hosts without a switch, and with several (they are taken once), stand in a corner when nothing placed them. */
function aside(network: Network, graph: Graph, to: Layout, side: number): void {
  let lost = 0;
  network.nodes.forEach((node, i) => {
    if (!node.host || graph.near[i]!.length > 0) return;
    put(to, i, 8 + lost * (side + 4), to.height - 8, side, side);
    lost++;
  });
}
