import { describe, expect, it, vi } from 'vitest';
import type { Network } from '../../src/engine/api.ts';
import { layout, type Layout } from '../../src/network/layout.ts';
import { dumbbell, fatTree, hyperx, jellyfish, leafSpine, linear, singleSwitch, testbed, tree, triangle } from '../networks.ts';

vi.setConfig({ testTimeout: 60_000 });

const ALL: [string, Network, Layout['form']][] = [
  ['fat-tree k=4', fatTree(4), 'rows'],
  ['fat-tree k=8', fatTree(8), 'rows'],
  ['fat-tree k=16', fatTree(16), 'rows'],
  ['leaf-spine of 320 hosts', leafSpine(8, 4, 40), 'rows'],
  ['tree', tree([2, 2, 10]), 'rows'],
  ['testbed', testbed(), 'rows'],
  ['single switch', singleSwitch(8), 'rows'],
  ['single switch of 200', singleSwitch(200), 'rows'],
  ['dumbbell', dumbbell(8, 8), 'chain'],
  ['uneven dumbbell', dumbbell(100, 3), 'chain'],
  ['linear', linear(4, 2), 'chain'],
  ['long linear', linear(60, 3), 'chain'],
  ['jellyfish', jellyfish(64, 6, 2), 'ring'],
  ['hyperx', hyperx(4, 4, 4), 'ring'],
  ['triangle', triangle(), 'forces'],
];
const SIZES = [
  [1280, 640],
  [390, 480],
] as const;

describe.each(ALL)('%s', (_, network, form) => {
  it.each(SIZES)('at %i x %i: in its form, inside, and no two nodes at one place', (width, height) => {
    const at = layout(network, width, height);
    expect(at.form).toBe(form);
    for (let i = 0; i < network.nodes.length; i++) {
      expect(at.w[i]).toBeGreaterThan(1);
      expect(at.x[i]! - at.w[i]! / 2).toBeGreaterThanOrEqual(0);
      expect(at.x[i]! + at.w[i]! / 2).toBeLessThanOrEqual(width);
      expect(at.y[i]! - at.h[i]! / 2).toBeGreaterThanOrEqual(0);
      expect(at.y[i]! + at.h[i]! / 2).toBeLessThanOrEqual(height);
    }
    expect(overlaps(network, at)).toEqual([]);
  });

  it('is the same every time', () => {
    const [a, b] = [layout(network, 900, 600), layout(network, 900, 600)];
    expect(a).toEqual(b);
  });
});

/** Pairs of nodes whose boxes meet. */
function overlaps(network: Network, at: Layout): string[] {
  const found: string[] = [];
  for (let i = 0; i < network.nodes.length; i++)
    for (let j = i + 1; j < network.nodes.length; j++)
      if (Math.abs(at.x[i]! - at.x[j]!) < (at.w[i]! + at.w[j]!) / 2 && Math.abs(at.y[i]! - at.y[j]!) < (at.h[i]! + at.h[j]!) / 2)
        found.push(`${network.nodes[i]!.name}, ${network.nodes[j]!.name}`);
  return found;
}

describe('rows', () => {
  const network = fatTree(8);
  const at = layout(network, 1280, 640);
  const rowOf = (tier: string): Set<number> => new Set(network.nodes.flatMap((node, i) => (node.tier === tier ? [at.y[i]!] : [])));

  it('has a tier in a row, cores above aggregation above edge above hosts', () => {
    const rows = ['core', 'agg', 'edge'].map(rowOf);
    for (const row of rows) expect(row.size).toBe(1);
    const [core, agg, edge] = rows.map((row) => [...row][0]!);
    expect(core!).toBeLessThan(agg!);
    expect(agg!).toBeLessThan(edge!);
    expect(edge!).toBeLessThan(Math.min(...network.nodes.flatMap((node, i) => (node.host ? [at.y[i]!] : []))));
    expect(at.rows.map((row) => row.name)).toEqual(['core', 'agg', 'edge', 'hosts']);
  });

  it('shows 128 hosts in one row, each 5 px wide or more', () => {
    const hosts = network.nodes.flatMap((node, i) => (node.host ? [i] : []));
    expect(new Set(hosts.map((i) => at.y[i])).size).toBe(1);
    for (const i of hosts) expect(at.w[i]).toBeGreaterThanOrEqual(5);
  });

  it('keeps pods apart, and hosts under their edge switch', () => {
    expect(at.groups).toHaveLength(8);
    for (let i = 1; i < 8; i++) expect(at.groups[i]!.x).toBeGreaterThanOrEqual(at.groups[i - 1]!.x + at.groups[i - 1]!.w);
    for (const { from, to } of network.links) {
      if (!network.nodes[from]!.host) continue;
      expect(Math.abs(at.x[from]! - at.x[to]!)).toBeLessThan(at.w[to]!);
    }
  });

  it('shows 1024 hosts at 3 px each or more', () => {
    const large = fatTree(16);
    const there = layout(large, 1280, 640);
    large.nodes.forEach((node, i) => node.host && expect(there.w[i]).toBeGreaterThanOrEqual(3));
  });

  it('stands a small network in the middle', () => {
    const small = testbed();
    const there = layout(small, 1280, 640);
    const middle = (Math.min(...there.x) + Math.max(...there.x)) / 2;
    expect(Math.abs(middle - 640)).toBeLessThan(60);
  });
});

it('takes a custom network with tiers for rows, and one whose tier is at two heights for forces', () => {
  const custom = { ...fatTree(4), kind: 'custom' };
  expect(layout(custom, 800, 500).form).toBe('rows');
  const odd = { ...custom, nodes: custom.nodes.map((node) => (node.tier === 'core' ? { ...node, tier: 'edge' } : node)) };
  expect(layout(odd, 800, 500).form).toBe('forces');
});

it('draws large irregular graphs as a ring', () => {
  expect(layout({ ...jellyfish(300, 4, 2), kind: 'custom' }, 1280, 640).form).toBe('ring');
});
