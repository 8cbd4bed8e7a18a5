/** What the drawing shows, in words: tooltips, and the text beside it for who cannot see it. */
import { ACK, AGAIN, DETOURED, MARKED, TRIMMED, type Frame, type Network, type Player, type Ps } from '../engine/api.ts';
import { exact, several, size, time } from '../units.ts';
import { fill } from './geometry.ts';
import type { Hit } from './types.ts';

/** `500 µs a second`; `real time` for a second a second. */
export function speed(psPerSecond: number): string {
  if (psPerSecond >= 0.999e12) return 'real time';
  return `${time(psPerSecond)} a second`;
}

/** `edge 0.1 to host 3`. */
export function portName(network: Network, port: number): string {
  const link = network.links[port];
  return link ? `${network.nodes[link.from]?.name ?? '?'} to ${network.nodes[link.to]?.name ?? '?'}` : `port ${port}`;
}

/** `63 of 100 packets`, `3 packets, 4.5 kB of 64 kB`, `63 packets, no limit`. */
export function queueWords(network: Network, port: number, packets: number, bytes: number): string {
  const link = network.links[port]!;
  const shared = network.nodes[link.from]?.shared_bytes;
  if (link.queue_packets !== undefined) return `${packets} of ${link.queue_packets} packets`;
  if (link.queue_bytes !== undefined) return `${several(packets, 'packet')}, ${size(bytes)} of ${size(link.queue_bytes)}`;
  if (shared !== undefined) return `${several(packets, 'packet')}, ${size(bytes)} of ${size(shared)} that all queues of the switch share`;
  return `${several(packets, 'packet')}, no limit`;
}

/** What a packet is: `data, sent again, detoured`. */
export function flagWords(flags: number): string {
  const words = [flags & ACK ? 'acknowledgement' : 'data'];
  if (flags & AGAIN) words.push('sent again');
  if (flags & MARKED) words.push('marked (ECN)');
  if (flags & TRIMMED) words.push('trimmed');
  if (flags & DETOURED) words.push('detoured');
  return words.join(', ');
}

/** The lines of a tooltip. `player` is asked why packets were dropped; a live run has none. */
export function tip(hit: Hit, network: Network, frame: Frame, span: Ps, player?: Player): string[] {
  if (hit.kind === 'packet') return [`packet ${hit.packet} of flow ${hit.flow}: ${flagWords(hit.flags)}`, portName(network, hit.port), 'click or Enter: its path'];
  if (hit.kind === 'node') {
    const ports = network.links.flatMap((link, p) => (link.from === hit.node ? [p] : []));
    const waiting = ports.reduce((sum, p) => sum + frame.packets[p]!, 0);
    const fullest = ports.reduce((best, p) => (frame.packets[p]! > frame.packets[best]! ? p : best), ports[0] ?? -1);
    const node = network.nodes[hit.node]!;
    const lines = [node.name + (node.pod === undefined ? '' : `, pod ${node.pod}`), `${several(waiting, 'packet')} waiting at ${several(ports.length, 'port')}`];
    if (waiting > 0) lines.push(`fullest: to ${network.nodes[network.links[fullest]!.to]?.name ?? '?'}, ${queueWords(network, fullest, frame.packets[fullest]!, frame.bytes[fullest]!)}`);
    return lines;
  }
  const { port } = hit;
  const lines = [portName(network, port), `waiting: ${queueWords(network, port, frame.packets[port]!, frame.bytes[port]!)}`];
  if (frame.use[port]! > 0) lines.push(`link in use: ${Math.round(frame.use[port]! * 100)} % of the last ${time(span)}`);
  if (frame.detours[port]! > 0) lines.push(`${several(frame.detours[port]!, 'packet')} detoured this way`);
  if (frame.drops[port]! > 0) {
    lines.push(`${several(frame.drops[port]!, 'packet')} dropped here`);
    const why = player?.happenings(Math.max(0, frame.at - span), frame.at + 1, 3, { port, kinds: ['drop'] }) ?? [];
    lines.push(...new Set(why.map((happening) => happening.says)));
  }
  return lines;
}

export interface Description {
  sentence: string;
  /** The fullest queues, fullest first; empty ones are not among them. */
  queues: { port: number; name: string; packets: number; words: string; share: number }[];
}

/** The network at this instant in a sentence or two, and its `most` fullest queues of switches. */
export function describe(network: Network, frame: Frame, span: Ps, most = 8): Description {
  let [waiting, full, detours, drops, used] = [0, 0, 0, 0, 0];
  const ports: number[] = [];
  for (let p = 0; p < network.links.length; p++) {
    detours += frame.detours[p]!;
    drops += frame.drops[p]!;
    if (frame.use[p]! > 0.5) used++;
    if (frame.packets[p] === 0 || network.nodes[network.links[p]!.from]?.host) continue;
    waiting += frame.packets[p]!;
    if (fill(network, p, frame.packets[p]!, frame.bytes[p]!) >= 0.9) full++;
    ports.push(p);
  }
  const share = (p: number): number => fill(network, p, frame.packets[p]!, frame.bytes[p]!);
  ports.sort((a, b) => share(b) - share(a) || frame.packets[b]! - frame.packets[a]! || a - b);
  const queues = ports.slice(0, most).map((p) => ({
    port: p,
    name: portName(network, p),
    packets: frame.packets[p]!,
    words: queueWords(network, p, frame.packets[p]!, frame.bytes[p]!),
    share: share(p),
  }));
  const parts = [`At ${exact(frame.at)}: ${several(frame.moving, 'packet')} moving, ${several(waiting, 'packet')} waiting in ${several(ports.length, 'queue')} of switches`];
  if (full > 0) parts.push(`${full === 1 ? 'one of them is' : `${full} of them are`} full or nearly`);
  const last = `In the last ${time(span)} ${several(detours, 'detour')} and ${several(drops, 'drop')}; ${several(used, 'link')} in use for more than half of it.`;
  return { sentence: `${parts.join('; ')}. ${last}`, queues };
}
