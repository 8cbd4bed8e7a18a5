/** Networks as the simulator lays them (crates/sim/src/topology): the same names, tiers, pods and order of cables. */
import type { Link, Network, Node } from '../src/engine/api.ts';

class Builder {
  hosts: Node[] = [];
  switches: Node[] = [];
  cables: { a: [boolean, number]; b: [boolean, number] }[] = [];

  switch(name: string, tier?: string, pod?: string): number {
    this.switches.push({ name, host: false, ...(tier !== undefined && { tier }), ...(pod !== undefined && { pod }) });
    return this.switches.length - 1;
  }
  host(s: number, many = 1): void {
    for (let i = 0; i < many; i++) {
      this.hosts.push({ name: `host ${this.hosts.length}`, host: true });
      this.cables.push({ a: [true, this.hosts.length - 1], b: [false, s] });
    }
  }
  cable(a: number, b: number): void {
    this.cables.push({ a: [false, a], b: [false, b] });
  }
  done(kind: string, queue = 100): Network {
    const nodes = [...this.hosts, ...this.switches];
    const ports = nodes.map(() => 0);
    const number = ([host, i]: [boolean, number]): number => (host ? i : this.hosts.length + i);
    const links = this.cables.flatMap(({ a, b }): Link[] => {
      const [x, y] = [number(a), number(b)];
      const one = (from: number, to: number): Link => ({ from, port: ports[from]!++, to, rate_bps: 1e9, delay_ps: 1e6, ...(!nodes[from]!.host && { queue_packets: queue }) });
      return [one(x, y), one(y, x)];
    });
    return { kind, nodes, links };
  }
}

export function fatTree(k: number): Network {
  const [net, half] = [new Builder(), k / 2];
  const tier = (word: string): number[] => Array.from({ length: k * half }, (_, i) => net.switch(`${word} ${Math.floor(i / half)}.${i % half}`, word, `${Math.floor(i / half)}`));
  const [edges, aggs] = [tier('edge'), tier('agg')];
  for (const edge of edges) net.host(edge, half);
  for (let pod = 0; pod < k; pod++) for (let e = 0; e < half; e++) for (let a = 0; a < half; a++) net.cable(edges[pod * half + e]!, aggs[pod * half + a]!);
  for (let c = 0; c < half * half; c++) {
    const core = net.switch(`core ${c}`, 'core');
    for (let pod = 0; pod < k; pod++) net.cable(aggs[pod * half + Math.floor(c / half)]!, core);
  }
  return net.done('fat_tree');
}

export function leafSpine(leaves: number, spines: number, hosts: number): Network {
  const net = new Builder();
  const all = (word: string, n: number): number[] => Array.from({ length: n }, (_, i) => net.switch(`${word} ${i}`, word));
  const [leaf, spine] = [all('leaf', leaves), all('spine', spines)];
  for (const l of leaf) net.host(l, hosts);
  for (const l of leaf) for (const s of spine) net.cable(l, s);
  return net.done('leaf_spine');
}

/** Three levels; what is below one child of the root is a pod. */
export function tree(fanOut: [number, number, number]): Network {
  const net = new Builder();
  const root = net.switch('root 0', 'root');
  for (let a = 0; a < fanOut[0]; a++) {
    const agg = net.switch(`agg ${a}.0`, 'agg', `${a}`);
    net.cable(agg, root);
    for (let r = 0; r < fanOut[1]; r++) {
      const rack = net.switch(`rack ${a}.${r}`, 'rack', `${a}`);
      net.cable(rack, agg);
      net.host(rack, fanOut[2]);
    }
  }
  return net.done('tree');
}

export function testbed(): Network {
  const net = new Builder();
  const edges = [0, 1, 2].map((i) => net.switch(`edge ${i}`, 'edge'));
  const aggs = [0, 1].map((i) => net.switch(`agg ${i}`, 'agg'));
  for (const edge of edges) net.host(edge, 2);
  for (const edge of edges) for (const agg of aggs) net.cable(edge, agg);
  return net.done('testbed');
}

export function singleSwitch(hosts: number): Network {
  const net = new Builder();
  net.host(net.switch('switch 0'), hosts);
  return net.done('single_switch');
}

export function dumbbell(left: number, right: number): Network {
  const net = new Builder();
  const [l, r] = [net.switch('left'), net.switch('right')];
  net.host(l, left);
  net.host(r, right);
  net.cable(l, r);
  return net.done('dumbbell');
}

export function linear(switches: number, hosts: number): Network {
  const net = new Builder();
  const row = Array.from({ length: switches }, (_, i) => net.switch(`switch ${i}`));
  for (const s of row) net.host(s, hosts);
  for (let i = 1; i < switches; i++) net.cable(row[i - 1]!, row[i]!);
  return net.done('linear');
}

/** A ring with chords: as irregular to look at as a random regular graph. */
export function jellyfish(switches: number, degree: number, hosts: number): Network {
  const net = new Builder();
  const all = Array.from({ length: switches }, (_, i) => net.switch(`switch ${i}`));
  for (const s of all) net.host(s, hosts);
  const seen = new Set<string>();
  for (let i = 0; i < switches; i++) {
    for (let d = 0; d < degree / 2; d++) {
      const j = (i + 1 + ((i * 7 + d * d * 11 + d * 3) % (switches - 1))) % switches;
      const key = `${Math.min(i, j)} ${Math.max(i, j)}`;
      if (i === j || seen.has(key)) continue;
      seen.add(key);
      net.cable(all[i]!, all[j]!);
    }
  }
  return net.done('jellyfish');
}

export function hyperx(rows: number, columns: number, hosts: number): Network {
  const net = new Builder();
  const all = Array.from({ length: rows * columns }, (_, i) => net.switch(`switch ${Math.floor(i / columns)}.${i % columns}`, undefined, `${Math.floor(i / columns)}`));
  for (const s of all) net.host(s, hosts);
  for (let a = 0; a < all.length; a++)
    for (let b = a + 1; b < all.length; b++) if (Math.floor(a / columns) === Math.floor(b / columns) || a % columns === b % columns) net.cable(all[a]!, all[b]!);
  return net.done('hyperx');
}

/** A custom network that has no rows: a triangle of switches. */
export function triangle(): Network {
  const net = new Builder();
  const s = ['s0', 's1', 's2'].map((name) => net.switch(name));
  for (const one of s) net.host(one, 2);
  net.cable(s[0]!, s[1]!);
  net.cable(s[1]!, s[2]!);
  net.cable(s[2]!, s[0]!);
  return net.done('custom');
}
