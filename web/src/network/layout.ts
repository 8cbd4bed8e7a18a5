/**
 * Positions of nodes, as engineers draw networks.
 *
 * **Decision**  tiers as rows, hosts below (fat-tree, leaf-spine, tree, and any network whose cables join neighbouring tiers alone);
 *               a chain or a dumbbell along a line; Jellyfish, HyperX and large irregular graphs as a ring; other graphs by forces.
 * **State**     none: the same network and size give the same positions.
 * **Units**     CSS pixels at zoom 1; x to the right, y downwards.
 * **Errors**    none: a node without cables stands with the others of its row.
 */
import type { Network } from '../engine/api.ts';
import { asForces } from './layout/force.ts';
import { graphOf, isLayered, type Graph } from './layout/graph.ts';
import { asRing } from './layout/ring.ts';
import { asChain, asDumbbell } from './layout/chain.ts';
import { asRows } from './layout/rows.ts';

/** A box with a name behind the nodes of a pod. */
export interface Group {
  name: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Layout {
  form: 'rows' | 'chain' | 'ring' | 'forces';
  width: number;
  height: number;
  /** Of each node: its centre and the size of its box. */
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
  groups: Group[];
  /** The tiers, from the top, with the middle of their rows; none in other forms. */
  rows: { name: string; y: number }[];
}

/** A graph with more nodes than this is drawn as a ring: forces would take seconds. */
const MOST_BY_FORCES = 600;

/** The network within `width` x `height`. */
export function layout(network: Network, width: number, height: number): Layout {
  const graph = graphOf(network);
  const size = { width: Math.max(width, 120), height: Math.max(height, 120) };
  switch (network.kind) {
    case 'linear':
      return asChain(network, graph, size);
    case 'dumbbell':
      return asDumbbell(network, graph, size);
    case 'jellyfish':
    case 'hyperx':
      return asRing(network, graph, size);
  }
  if (isLayered(network, graph)) return asRows(network, graph, size);
  return network.nodes.length <= MOST_BY_FORCES ? asForces(network, graph, size) : asRing(network, graph, size);
}

export interface Size {
  width: number;
  height: number;
}

/** An empty layout of this form. */
export function blank(form: Layout['form'], network: Network, size: Size): Layout {
  const n = network.nodes.length;
  return {
    form,
    ...size,
    x: new Float32Array(n),
    y: new Float32Array(n),
    w: new Float32Array(n),
    h: new Float32Array(n),
    groups: [],
    rows: [],
  };
}

/** Puts node `i` somewhere. */
export function put(to: Layout, i: number, x: number, y: number, w: number, h: number): void {
  to.x[i] = x;
  to.y[i] = y;
  to.w[i] = w;
  to.h[i] = h;
}

export type { Graph };
