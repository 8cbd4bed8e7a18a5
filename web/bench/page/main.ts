/** One drawing for measurements and pictures. `?network=fat_tree,8&packets=10000&view=one|compare|live&theme=dark&colouring=flow&packet=3&transport`,
 * and `?recordings=a.srec,b.srec` for real ones instead of `network` and `packets`. */
import { mount } from 'svelte';
import type { Network as Net, Player } from '../../src/engine/api.ts';
import { openPlayer } from '../../src/engine/player.ts';
import { Clock } from '../../src/network/clock.svelte.ts';
import { fake } from '../../test/fake.ts';
import * as networks from '../../test/networks.ts';
import Page from './Page.svelte';
import '../../src/shell/theme.css';
import './page.css';

const asked = new URLSearchParams(location.search);
const [kind, ...sizes] = (asked.get('network') ?? 'fat_tree,8').split(',');
const n = sizes.map(Number) as [number, number, number];
const kinds: Record<string, () => Net> = {
  fat_tree: () => networks.fatTree(n[0]),
  leaf_spine: () => networks.leafSpine(...n),
  tree: () => networks.tree(n),
  testbed: () => networks.testbed(),
  single_switch: () => networks.singleSwitch(n[0]),
  dumbbell: () => networks.dumbbell(n[0], n[1]),
  linear: () => networks.linear(n[0], n[1]),
  jellyfish: () => networks.jellyfish(...n),
  hyperx: () => networks.hyperx(...n),
  triangle: () => networks.triangle(),
};
const files = asked.get('recordings')?.split(',') ?? [];
const packets = Number(asked.get('packets') ?? 10_000);

async function open(url: string): Promise<Player> {
  return openPlayer(new Uint8Array(await (await fetch(url)).arrayBuffer()));
}

function made(): Player[] {
  const network = kinds[kind ?? '']!();
  return [fake(network, packets), fake(network, packets)];
}

const players = (files.length > 0 ? await Promise.all(files.map(open)) : made()).slice(0, asked.get('view') === 'compare' ? 2 : 1);
const clock = new Clock(players);
clock.seek(Number(asked.get('at') ?? 3e9));
document.documentElement.dataset['theme'] = asked.get('theme') ?? 'light';
const selection = Object.fromEntries(['packet', 'node', 'port', 'flow', 'query'].flatMap((key) => (asked.has(key) ? [[key, Number(asked.get(key))]] : [])));
mount(Page, {
  target: document.getElementById('app')!,
  props: { players, clock, view: asked.get('view') ?? 'one', selection, colouring: asked.get('colouring') === 'flow' ? 'flow' : 'what', transport: asked.has('transport') },
});
Object.assign(window, { clock });
