/** Switches along a line: a chain with its hosts above and below, folded when it is long; a dumbbell with its hosts at both ends. */
import type { Network } from '../../engine/api.ts';
import { blank, put, type Layout, type Size } from '../layout.ts';
import type { Graph } from './graph.ts';

/** A switch and its hosts need at least so much width. */
const NARROWEST = 44;

export function asChain(network: Network, graph: Graph, size: Size): Layout {
  const to = blank('chain', network, size);
  const many = Math.max(1, graph.switches.length);
  const perRow = Math.min(many, Math.max(1, Math.floor((size.width - 20) / NARROWEST)));
  const rows = Math.ceil(many / perRow);
  const step = Math.min((size.width - 20) / perRow, 380);
  const left = (size.width - step * perRow) / 2;
  const tall = size.height / rows;
  const box = Math.min(step * 0.5, tall * 0.2, 64);
  graph.switches.forEach((s, i) => {
    const row = Math.floor(i / perRow);
    // Every second row runs backwards, so that the cable between rows is short.
    const place = row % 2 === 0 ? i % perRow : perRow - 1 - (i % perRow);
    const [x, y] = [left + (place + 0.5) * step, (row + 0.5) * tall];
    put(to, s, x, y, box, Math.min(box, 20));
    const hosts = graph.hosts[s]!;
    const below = Math.ceil(hosts.length / 2);
    const away = Math.min(tall * 0.36, 230);
    hosts.forEach((host, h) => {
      const [many, nth, sign] = h < below ? [below, h, 1] : [hosts.length - below, h - below, -1];
      const pitch = (step * 0.86) / many;
      const side = Math.min(pitch * 0.7, tall * 0.2, 18);
      put(to, host, x + (nth - (many - 1) / 2) * pitch, y + sign * away, side, side);
    });
  });
  return to;
}

export function asDumbbell(network: Network, graph: Graph, size: Size): Layout {
  const to = blank('chain', network, size);
  const apart = size.width * 0.18;
  const box = Math.min(apart * 0.4, 46);
  graph.switches.forEach((s, i) => {
    const sign = i === 0 ? -1 : 1;
    const x = size.width / 2 + sign * (i === 0 ? apart : apart * (2 * i - 1));
    put(to, s, x, size.height / 2, box, Math.min(size.height * 0.35, 240));
    const hosts = graph.hosts[s]!;
    // Columns of at most as many hosts as leave 12 px each.
    const tall = Math.max(1, Math.min(hosts.length, Math.floor((size.height - 20) / 12)));
    const columns = Math.ceil(hosts.length / tall);
    const pitch = Math.min((size.height - 20) / tall, 62);
    const side = Math.min(pitch * 0.7, 20);
    const far = size.width / 2 - 14;
    hosts.forEach((host, h) => {
      const column = Math.floor(h / tall);
      const inColumn = Math.min(tall, hosts.length - column * tall);
      const out = columns === 1 ? Math.min(far, apart * 2.4) : apart * 1.7 + ((far - apart * 1.7) * column) / (columns - 1);
      put(to, host, size.width / 2 + sign * out, size.height / 2 + ((h % tall) - (inColumn - 1) / 2) * pitch, side, side);
    });
  });
  return to;
}
