/**
 * What lies over the packets and seldom changes: names, what is selected, the selected packet's path with numbered hops.
 *
 * **Decision**  the path as in Figure 1 of DIBS (EuroSys 2014): an arrow for each link, with the numbers of the hops that went over it; a detour bends.
 * **Units**     CSS pixels of the screen.
 */
import type { Journey, Network } from '../engine/api.ts';
import type { Geometry } from './geometry.ts';
import type { Layout } from './layout.ts';
import type { Inks } from './links.ts';
import type { Hit, Selection } from './types.ts';
import type { View } from './view.ts';

export interface Over {
  selection: Selection;
  focus: Hit | null;
  journey: Journey | null;
  /** How many of the journey's hops have begun at the instant shown. */
  begun: number;
  labels: boolean;
}

const FONT = '11px system-ui, sans-serif';

export function drawOverlay(g: CanvasRenderingContext2D, network: Network, layout: Layout, geo: Geometry, view: View, ink: Inks, over: Over): void {
  // The view may be shared with a drawing of another size.
  g.clearRect(0, 0, Math.max(view.width, layout.width) + 1, Math.max(view.height, layout.height) + 1);
  g.font = FONT;
  g.textBaseline = 'middle';
  if (over.labels) names(g, network, layout, view, ink);
  if (over.journey) path(g, network, layout, geo, view, ink, over.journey, over.begun);
  const { node, port } = over.selection;
  if (node !== undefined) ring(g, layout, view, node, ink.accent, []);
  if (port !== undefined) queue(g, geo, view, port, ink.accent);
  if (over.focus?.kind === 'node') ring(g, layout, view, over.focus.node, ink.fg, [3, 2]);
  if (over.focus?.kind === 'port') queue(g, geo, view, over.focus.port, ink.fg);
}

function names(g: CanvasRenderingContext2D, network: Network, layout: Layout, view: View, ink: Inks): void {
  const { scale, x: ox, y: oy } = view;
  g.fillStyle = ink.muted;
  g.textAlign = 'left';
  if (view.width >= 700) for (const { name, y } of layout.rows) if (scale < 1.6) g.fillText(name, Math.max(6, ox + 6), oy + y * scale);
  g.textAlign = 'center';
  for (const { name, x, y, w, h } of layout.groups) {
    const short = w * scale < 34 ? name.replace('pod ', '') : name;
    g.fillText(short, ox + (x + w / 2) * scale, oy + (y + h) * scale - 8);
  }
  const ways = waysOf(network, layout, scale);
  for (let i = 0; i < network.nodes.length; i++) {
    const [x, y] = [ox + layout.x[i]! * scale, oy + layout.y[i]! * scale];
    if (x < -60 || y < -20 || x > view.width + 60 || y > view.height + 20) continue;
    const node = network.nodes[i]!;
    const way = ways.get(row(node)) ?? 'none';
    const text = way === 'name' ? node.name : way === 'number' ? short(node.name) : '';
    if (text === '') continue;
    g.fillStyle = node.host ? ink.bg : ink.fg;
    g.fillText(text, x, y + 0.5);
  }
}

const row = (node: Network['nodes'][number]): string => (node.host ? 'host' : (node.tier ?? 'switch'));

/** `0.1` of `edge 0.1`. */
const short = (name: string): string => name.replace(/^\D+ ?(?=\d)/, '');

/** Names of a tier are written alike: whole, their numbers alone, or not at all, as the longest fits. */
function waysOf(network: Network, layout: Layout, scale: number): Map<string, 'name' | 'number' | 'none'> {
  const ways = new Map<string, 'name' | 'number' | 'none'>();
  network.nodes.forEach((node, i) => {
    const [w, h] = [layout.w[i]! * scale, layout.h[i]! * scale];
    const way = fits(node.name, w, h) ? 'name' : fits(short(node.name), w, h) ? 'number' : 'none';
    const before = ways.get(row(node)) ?? 'name';
    ways.set(row(node), before === 'none' || way === 'none' ? 'none' : before === 'number' ? before : way);
  });
  return ways;
}

/** About 6.4 px a letter: asking the canvas for every name takes longer than drawing them. */
function fits(text: string, w: number, h: number): boolean {
  return h >= 9 && text.length * 6.4 <= w;
}

function ring(g: CanvasRenderingContext2D, layout: Layout, view: View, node: number, colour: string, dash: number[]): void {
  const { scale, x, y } = view;
  const [w, h] = [(layout.w[node] ?? 0) * scale + 7, (layout.h[node] ?? 0) * scale + 7];
  g.strokeStyle = colour;
  g.lineWidth = 2.5;
  g.setLineDash(dash);
  g.strokeRect(x + layout.x[node]! * scale - w / 2, y + layout.y[node]! * scale - h / 2, w, h);
  g.setLineDash([]);
}

function queue(g: CanvasRenderingContext2D, geo: Geometry, view: View, port: number, colour: string): void {
  const { scale, x, y } = view;
  const at = (a: Float32Array, b: Float32Array): [number, number] => [x + a[port]! * scale, y + b[port]! * scale];
  g.strokeStyle = colour;
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(...at(geo.x1, geo.y1));
  g.lineTo(...at(geo.x2, geo.y2));
  g.stroke();
  g.beginPath();
  const [bx, by] = at(geo.bx1, geo.by1);
  const [ex, ey] = at(geo.bx2, geo.by2);
  g.arc((bx + ex) / 2, (by + ey) / 2, Math.hypot(ex - bx, ey - by) / 2 + 5, 0, 2 * Math.PI);
  g.lineWidth = 2;
  g.stroke();
}

/** The hops that went over each port, in order: `3`, `3, 7`. */
export function hopsByPort(journey: Journey): Map<number, { hops: number[]; detoured: boolean }> {
  const found = new Map<number, { hops: number[]; detoured: boolean }>();
  journey.path.forEach(({ port, detoured }, i) => {
    const there = found.get(port) ?? { hops: [], detoured: false };
    there.hops.push(i + 1);
    there.detoured ||= detoured;
    found.set(port, there);
  });
  return found;
}

function path(g: CanvasRenderingContext2D, network: Network, layout: Layout, geo: Geometry, view: View, ink: Inks, journey: Journey, begun: number): void {
  const { scale, x: ox, y: oy } = view;
  for (const [port, { hops, detoured }] of hopsByPort(journey)) {
    if (port >= network.links.length) continue;
    const [x1, y1, x2, y2] = [ox + geo.x1[port]! * scale, oy + geo.y1[port]! * scale, ox + geo.x2[port]! * scale, oy + geo.y2[port]! * scale];
    const [cx, cy] = detoured ? [ox + geo.cx[port]! * scale, oy + geo.cy[port]! * scale] : [(x1 + x2) / 2, (y1 + y2) / 2];
    const later = hops[0]! > begun;
    g.globalAlpha = later ? 0.45 : 1;
    for (const [colour, wide] of [[ink.bg, 6], [detoured ? ink.detour : ink.accent, 3]] as const) {
      g.strokeStyle = colour;
      g.lineWidth = wide;
      g.setLineDash(detoured && wide === 3 ? [8, 4] : []);
      g.beginPath();
      g.moveTo(x1, y1);
      g.quadraticCurveTo(cx, cy, x2, y2);
      g.stroke();
    }
    g.setLineDash([]);
    arrow(g, cx, cy, x2, y2, detoured ? ink.detour : ink.accent);
    g.globalAlpha = 1;
    number(g, (x1 + 2 * cx + x2) / 4, (y1 + 2 * cy + y2) / 4, hops, detoured ? ink.detour : ink.accent, ink);
  }
  const last = journey.path.at(-1);
  const target = last ? network.links[last.port]?.to : undefined;
  if (target !== undefined && journey.end === 'delivered') ring(g, layout, view, target, ink.accent, []);
}

function arrow(g: CanvasRenderingContext2D, fromX: number, fromY: number, x: number, y: number, colour: string): void {
  const long = Math.hypot(x - fromX, y - fromY) || 1;
  const [dx, dy] = [((x - fromX) / long) * 9, ((y - fromY) / long) * 9];
  g.fillStyle = colour;
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x - dx - dy * 0.55, y - dy + dx * 0.55);
  g.lineTo(x - dx + dy * 0.55, y - dy - dx * 0.55);
  g.fill();
}

function number(g: CanvasRenderingContext2D, x: number, y: number, hops: number[], colour: string, ink: Inks): void {
  const text = hops.length > 4 ? `${hops.slice(0, 3).join(',')}…×${hops.length}` : hops.join(',');
  const w = Math.max(16, text.length * 6.6 + 8);
  g.fillStyle = ink.bg;
  g.strokeStyle = colour;
  g.lineWidth = 1.5;
  g.beginPath();
  g.roundRect(x - w / 2, y - 8, w, 16, 8);
  g.fill();
  g.stroke();
  g.fillStyle = ink.fg;
  g.textAlign = 'center';
  g.textBaseline = 'middle';
  g.fillText(text, x, y + 0.5);
}
