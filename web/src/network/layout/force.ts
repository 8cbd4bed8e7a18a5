/** Any graph by forces (d3-force): cables pull, nodes push; d3-force begins from fixed places and has fixed random numbers, so it is the same every time. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationLinkDatum, type SimulationNodeDatum } from 'd3-force';
import type { Network } from '../../engine/api.ts';
import { blank, put, type Layout, type Size } from '../layout.ts';
import type { Graph } from './graph.ts';

interface Body extends SimulationNodeDatum {
  host: boolean;
}

export function asForces(network: Network, graph: Graph, size: Size): Layout {
  const to = blank('forces', network, size);
  const bodies: Body[] = network.nodes.map((node) => ({ host: node.host }));
  // One of the two directions of each cable.
  const cables = network.links.filter((_, i) => i % 2 === 0).map(({ from, to }) => ({ source: from, target: to }));
  forceSimulation(bodies)
    .force('cables', forceLink<Body, SimulationLinkDatum<Body>>(cables).distance((c) => ((c.source as Body).host || (c.target as Body).host ? 26 : 70)))
    .force('apart', forceManyBody<Body>().strength((b) => (b.host ? -40 : -220)))
    .force('collide', forceCollide<Body>((b) => (b.host ? 8 : 18)))
    .force('x', forceX(0).strength(0.03))
    .force('y', forceY(0).strength(0.03 * Math.min(3, Math.max(0.5, size.width / size.height))))
    .stop()
    .tick(400);
  const span = (of: 'x' | 'y'): [number, number] => [Math.min(...bodies.map((b) => b[of] ?? 0)), Math.max(...bodies.map((b) => b[of] ?? 0))];
  const [[x1, x2], [y1, y2]] = [span('x'), span('y')];
  const scale = Math.min((size.width - 50) / Math.max(1, x2 - x1), (size.height - 50) / Math.max(1, y2 - y1), 4);
  bodies.forEach((body, i) => {
    const side = Math.min(body.host ? 14 : 34, scale * (body.host ? 11 : 24));
    const [x, y] = [(body.x ?? 0) - (x1 + x2) / 2, (body.y ?? 0) - (y1 + y2) / 2];
    put(to, i, size.width / 2 + x * scale, size.height / 2 + y * scale, side, graph.rank[i] === 0 ? side : side * 0.8);
  });
  return to;
}
