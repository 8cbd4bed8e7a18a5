/** Neighbours and distances, which layouts ask for. */
import type { Network } from '../../engine/api.ts';

export interface Graph {
  /** Switches, by number of node. */
  switches: number[];
  /** Of each node: switches next to it, and hosts next to it, in the order of its ports. */
  near: number[][];
  hosts: number[][];
  /** Of each node: cables to the nearest host; 0 of hosts, -1 where there is no way. */
  rank: number[];
}

export function graphOf(network: Network): Graph {
  const { nodes, links } = network;
  const near: number[][] = nodes.map(() => []);
  const hosts: number[][] = nodes.map(() => []);
  for (const { from, to } of links) (nodes[to]?.host ? hosts : near)[from]?.push(to);
  const rank: number[] = nodes.map((node) => (node.host ? 0 : -1));
  let edge = nodes.flatMap((node, i) => (node.host ? [i] : []));
  for (let far = 1; edge.length > 0; far++) {
    const next: number[] = [];
    for (const i of edge) {
      for (const j of near[i] ?? []) {
        if (rank[j] !== -1) continue;
        rank[j] = far;
        next.push(j);
      }
    }
    edge = next;
  }
  return { switches: nodes.flatMap((node, i) => (node.host ? [] : [i])), near, hosts, rank };
}

/** Whether every cable joins neighbouring ranks, hosts have one cable, and those of a tier are of one rank: then rows say it best. */
export function isLayered(network: Network, graph: Graph): boolean {
  const { rank } = graph;
  const ofTier = new Map<string, number>();
  for (const s of graph.switches) {
    const tier = network.nodes[s]?.tier;
    if (rank[s] === -1) return false;
    if (tier === undefined) continue;
    const before = ofTier.get(tier);
    if (before !== undefined && before !== rank[s]) return false;
    ofTier.set(tier, rank[s]!);
  }
  const stepwise = network.links.every(({ from, to }) => Math.abs(rank[from]! - rank[to]!) === 1);
  const single = network.nodes.every((node, i) => !node.host || graph.near[i]!.length === 1);
  return stepwise && single;
}

/** The same things under the same key, keys in the order in which they first come. */
export function grouped<T>(things: T[], key: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(key(thing));
    if (group) group.push(thing);
    else groups.set(key(thing), [thing]);
  }
  return groups;
}
