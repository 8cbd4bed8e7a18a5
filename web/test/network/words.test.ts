import { expect, it } from 'vitest';
import { DETOURED, MARKED } from '../../src/engine/api.ts';
import { nextFocus } from '../../src/network/keys.ts';
import { describe as inWords, queueWords, speed, tip } from '../../src/network/words.ts';
import { fake } from '../fake.ts';
import { fatTree } from '../networks.ts';

const network = fatTree(4);
const player = fake(network, 20);

it('writes speeds with the unit that suits them', () => {
  expect([1e3, 500e6, 1e9, 1e12].map(speed)).toEqual(['1 ns a second', '500 µs a second', '1 ms a second', 'real time']);
});

it('says what is under the pointer', () => {
  const frame = player.frame(3e9, 1e8);
  expect(tip({ kind: 'packet', packet: 7, flow: 3, flags: MARKED | DETOURED, port: 0 }, network, frame, 1e8, player)[0]).toBe('packet 7 of flow 3: data, marked (ECN), detoured');
  const port = network.links.findIndex((link) => network.nodes[link.from]!.tier === 'edge');
  frame.packets[port] = 63;
  frame.drops[port] = 1;
  const lines = tip({ kind: 'port', port }, network, frame, 1e8, player);
  expect(lines[0]).toMatch(/^edge 0.0 to /);
  expect(lines[1]).toBe('waiting: 63 of 100 packets');
  expect(lines.slice(-2)).toEqual(['1 packet dropped here', 'that queue holds 100 of 100 packets: dropped, full']);
  const node = network.links[port]!.from;
  expect(tip({ kind: 'node', node }, network, frame, 1e8)[0]).toBe('edge 0.0, pod 0');
});

it('says how full a queue is in the units of its limit', () => {
  const of = (link: object, node = {}): string => queueWords({ kind: '', nodes: [{ name: 'a', host: false, ...node }], links: [{ from: 0, to: 0, port: 0, rate_bps: 1, delay_ps: 1, ...link }] }, 0, 3, 4500);
  expect(of({ queue_packets: 5 })).toBe('3 of 5 packets');
  expect(of({ queue_bytes: 64_000 })).toBe('3 packets, 4.5 kB of 64 kB');
  expect(of({}, { shared_bytes: 9000 })).toBe('3 packets, 4.5 kB of 9 kB that all queues of the switch share');
  expect(of({})).toBe('3 packets, no limit');
});

it('describes a frame in words, with the fullest queues of switches first', () => {
  const frame = player.frame(0, 1e8);
  frame.packets.fill(0);
  frame.detours.fill(0);
  frame.drops.fill(0);
  frame.use.fill(0);
  const ports = network.links.flatMap((link, p) => (network.nodes[link.from]!.host ? [] : [p]));
  [frame.packets[ports[0]!], frame.packets[ports[1]!], frame.packets[0]] = [10, 95, 1000];
  frame.drops[ports[1]!] = 2;
  const { sentence, queues } = inWords(network, frame, 1e8);
  expect(sentence).toBe('At 0.000 000 ms: 20 packets moving, 105 packets waiting in 2 queues of switches; one of them is full or nearly. In the last 100 µs 0 detours and 2 drops; 0 links in use for more than half of it.');
  expect(queues.map((queue) => [queue.port, queue.words])).toEqual([[ports[1], '95 of 100 packets'], [ports[0], '10 of 100 packets']]);
});

it('goes through nodes and their queues by keys, switches first', () => {
  const press = (focus: Parameters<typeof nextFocus>[1], key: string, shiftKey = false): ReturnType<typeof nextFocus> => nextFocus(network, focus, new KeyboardEvent('keydown', { key, shiftKey }));
  const hosts = network.nodes.filter((node) => node.host).length;
  expect(press(null, 'n')).toEqual({ kind: 'node', node: hosts });
  expect(press({ kind: 'node', node: hosts }, 'n')).toEqual({ kind: 'node', node: hosts + 1 });
  expect(press({ kind: 'node', node: hosts }, 'p')).toEqual({ kind: 'node', node: hosts - 1 });
  const queue = press({ kind: 'node', node: hosts }, 'q');
  expect(queue?.kind === 'port' && network.links[queue.port]!.from).toBe(hosts);
  expect(press(queue, 'Q', true)).not.toEqual(queue);
  expect(press(null, 'q')).toBeNull();
  expect(press(null, 'x')).toBeNull();
});
