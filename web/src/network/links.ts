/**
 * The layer of links, queues and nodes: canvas calls. What stands still is drawn once, and copied.
 *
 * **Decision**  use shows as colour and width in `USE` steps, fullness as length and, from `NEARLY` on, as colour and a closed end.
 * **Units**     CSS pixels; the context is scaled by who calls.
 */
import type { Frame, Network } from '../engine/api.ts';
import { css, mix, type Colours } from './colours.ts';
import { fill, type Geometry } from './geometry.ts';
import type { Layout } from './layout.ts';
import type { View } from './view.ts';

/** Steps of use; a link below the first is idle. */
const USE = [0.02, 0.25, 0.5, 0.75, 0.95];
const NEARLY = 0.9;

/** What is drawn with which line, worked out when the colours change and not for each frame. */
export interface Inks {
  pod: string;
  cable: string;
  use: string[];
  bar: string;
  filled: string;
  full: string;
  node: string;
  nodeEdge: string;
  host: string;
  detour: string;
  fg: string;
  muted: string;
  bg: string;
  accent: string;
}

export function inks(c: Colours): Inks {
  return {
    pod: css(c.fg, 0.045),
    cable: css(mix(c.bg, c.line, 0.85)),
    use: USE.map((_, i) => css(mix(c.bg, c.accent, 0.3 + (0.4 * i) / (USE.length - 1)))),
    bar: css(mix(c.bg, c.fg, 0.1)),
    filled: css(c.warn),
    full: css(c.bad),
    node: css(mix(c.bg, c.fg, 0.1)),
    nodeEdge: css(mix(c.bg, c.fg, 0.55)),
    host: css(mix(c.bg, c.fg, 0.38)),
    detour: css(c.c4),
    fg: css(c.fg),
    muted: css(c.muted),
    bg: css(c.bg),
    accent: css(c.accent),
  };
}

/** What stays as it is while the view does: pods, cables, nodes, the room of queues. */
export function drawStill(g: CanvasRenderingContext2D, network: Network, layout: Layout, geo: Geometry, view: View, ink: Inks): void {
  g.fillStyle = ink.bg;
  // The view may be shared with a drawing of another size, and a canvas has whole pixels: up to one more than the layout.
  g.fillRect(0, 0, Math.max(view.width, layout.width) + 1, Math.max(view.height, layout.height) + 1);
  g.save();
  const thin = enter(g, view);
  g.fillStyle = ink.pod;
  for (const { x, y, w, h } of layout.groups) g.fillRect(x, y, w, h);
  cables(g, network, geo, ink, thin);
  bars(g, network, geo, ink);
  nodes(g, network, layout, ink, thin);
  g.restore();
}

/** What changes, over that: use, what waits, bends of detours. Faint beside something selected. */
export function drawUse(g: CanvasRenderingContext2D, network: Network, geo: Geometry, view: View, ink: Inks, frame: Frame, quiet: boolean): void {
  g.save();
  const thin = enter(g, view);
  g.globalAlpha = quiet ? 0.5 : 1;
  uses(g, network, geo, ink, thin, frame);
  fills(g, network, geo, ink, frame);
  g.globalAlpha = quiet ? 0.35 : 1;
  bends(g, network, geo, ink, thin, frame);
  g.restore();
}

/** Into the drawing's coordinates; returns how much there a pixel of the screen is. */
function enter(g: CanvasRenderingContext2D, view: View): number {
  g.translate(view.x, view.y);
  g.scale(view.scale, view.scale);
  return 1 / view.scale;
}

/** Each line for itself: a path of hundreds takes several times as long to fill. */
function line(g: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
}

function cables(g: CanvasRenderingContext2D, network: Network, geo: Geometry, ink: Inks, thin: number): void {
  g.strokeStyle = ink.cable;
  g.lineWidth = thin * geo.fine;
  for (let port = 0; port < network.links.length; port++) line(g, geo.x1[port]!, geo.y1[port]!, geo.x2[port]!, geo.y2[port]!);
}

function uses(g: CanvasRenderingContext2D, network: Network, geo: Geometry, ink: Inks, thin: number, frame: Frame): void {
  for (let step = 0; step < USE.length; step++) {
    const [from, to] = [USE[step]!, USE[step + 1] ?? 2];
    g.strokeStyle = ink.use[step]!;
    g.lineWidth = thin * (0.9 + step * 0.45) * geo.fine;
    for (let port = 0; port < network.links.length; port++) {
      const use = frame.use[port]!;
      if (use >= from && use < to) line(g, geo.x1[port]!, geo.y1[port]!, geo.x2[port]!, geo.y2[port]!);
    }
  }
}

function bars(g: CanvasRenderingContext2D, network: Network, geo: Geometry, ink: Inks): void {
  g.lineWidth = geo.bar;
  g.strokeStyle = ink.bar;
  for (let port = 0; port < network.links.length; port++) {
    if (!network.nodes[network.links[port]!.from]?.host) line(g, geo.bx1[port]!, geo.by1[port]!, geo.bx2[port]!, geo.by2[port]!);
  }
}

function fills(g: CanvasRenderingContext2D, network: Network, geo: Geometry, ink: Inks, frame: Frame): void {
  for (let nearly = 0; nearly < 2; nearly++) {
    g.strokeStyle = nearly === 1 ? ink.full : ink.filled;
    g.lineWidth = nearly === 1 ? geo.bar * 1.35 : geo.bar;
    for (let port = 0; port < network.links.length; port++) {
      if (frame.packets[port] === 0) continue;
      const share = fill(network, port, frame.packets[port]!, frame.bytes[port]!);
      if ((share >= NEARLY ? 1 : 0) !== nearly) continue;
      const [x, y] = [geo.bx1[port]!, geo.by1[port]!];
      line(g, x, y, x + (geo.bx2[port]! - x) * share, y + (geo.by2[port]! - y) * share);
    }
  }
}

/** The bends of detours that were just decided, dashed, with a head half-way. */
function bends(g: CanvasRenderingContext2D, network: Network, geo: Geometry, ink: Inks, thin: number, frame: Frame): void {
  g.strokeStyle = ink.detour;
  g.lineWidth = thin * 2;
  g.setLineDash(dashes(thin));
  g.beginPath();
  for (let port = 0; port < network.links.length; port++) {
    if (frame.detours[port] === 0) continue;
    g.moveTo(geo.x1[port]!, geo.y1[port]!);
    g.quadraticCurveTo(geo.cx[port]!, geo.cy[port]!, geo.x2[port]!, geo.y2[port]!);
  }
  g.stroke();
  g.setLineDash(NONE);
  g.beginPath();
  for (let port = 0; port < network.links.length; port++) if (frame.detours[port] !== 0) head(g, geo, port, thin * 6);
  g.stroke();
}

const NONE: number[] = [];
const DASH = [0, 0];
function dashes(thin: number): number[] {
  DASH[0] = 6 * thin;
  DASH[1] = 3 * thin;
  return DASH;
}

/** A head of two strokes in the middle of a bend. */
export function head(g: CanvasRenderingContext2D, geo: Geometry, port: number, size: number): void {
  const [dx, dy] = [geo.x2[port]! - geo.x1[port]!, geo.y2[port]! - geo.y1[port]!];
  const long = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [(dx / long) * size, (dy / long) * size];
  const x = (geo.x1[port]! + 2 * geo.cx[port]! + geo.x2[port]!) / 4 + ux / 2;
  const y = (geo.y1[port]! + 2 * geo.cy[port]! + geo.y2[port]!) / 4 + uy / 2;
  g.moveTo(x - ux - uy * 0.7, y - uy + ux * 0.7);
  g.lineTo(x, y);
  g.lineTo(x - ux + uy * 0.7, y - uy - ux * 0.7);
}

function nodes(g: CanvasRenderingContext2D, network: Network, layout: Layout, ink: Inks, thin: number): void {
  for (const host of [true, false]) {
    g.fillStyle = host ? ink.host : ink.node;
    g.beginPath();
    for (let i = 0; i < network.nodes.length; i++) {
      if (network.nodes[i]!.host !== host) continue;
      const [w, h] = [layout.w[i]!, layout.h[i]!];
      g.rect(layout.x[i]! - w / 2, layout.y[i]! - h / 2, w, h);
    }
    g.fill();
    if (host) continue;
    g.strokeStyle = ink.nodeEdge;
    g.lineWidth = thin;
    g.stroke();
  }
}
