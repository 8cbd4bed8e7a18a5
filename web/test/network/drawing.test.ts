import { describe, expect, it } from 'vitest';
import { ACK, AGAIN, DETOURED, MARKED } from '../../src/engine/api.ts';
import { parse, word } from '../../src/network/colours.ts';
import { fill, geometry } from '../../src/network/geometry.ts';
import { masks, SHAPES, shapeOf } from '../../src/network/glyphs.ts';
import { layout } from '../../src/network/layout.ts';
import { hopsByPort } from '../../src/network/overlay.ts';
import { Packets, type Look } from '../../src/network/packets.ts';
import { pick } from '../../src/network/pick.ts';
import { View } from '../../src/network/view.ts';
import { fake } from '../fake.ts';
import { fatTree, leafSpine } from '../networks.ts';

const network = fatTree(4);
const at = layout(network, 800, 500);
const geo = geometry(network, at);
const look: Look = { colours: Uint32Array.from([1, 2, 3, 4, 5, 6, 7, 8]), edge: 9, drop: 10, byFlow: false, lit: null };

function stage(packets: number): { view: View; drawn: Packets; frame: ReturnType<ReturnType<typeof fake>['frame']> } {
  const view = new View();
  view.resize(800, 500);
  const drawn = new Packets();
  drawn.resize(800, 500);
  return { view, drawn, frame: fake(network, packets).frame(3e9, 1e6) };
}

describe('geometry', () => {
  it('draws the two directions of a cable apart, each on the right of who travels', () => {
    for (let port = 0; port < network.links.length; port += 2) {
      const [dx, dy] = [geo.x2[port]! - geo.x1[port]!, geo.y2[port]! - geo.y1[port]!];
      // The way back lies to the left: across x ahead is negative with y downwards.
      const across = dx * (geo.y2[port + 1]! - geo.y1[port]!) - dy * (geo.x2[port + 1]! - geo.x1[port]!);
      expect(across).toBeLessThan(0);
    }
  });

  it('begins a link and its bar at the node it leaves, and bends a detour away from the link', () => {
    network.links.forEach((link, port) => {
      const far = (x: number, y: number, node: number): number => Math.max(Math.abs(x - at.x[node]!) - at.w[node]! / 2, Math.abs(y - at.y[node]!) - at.h[node]! / 2);
      expect(far(geo.x1[port]!, geo.y1[port]!, link.from)).toBeLessThan(4);
      expect(far(geo.x2[port]!, geo.y2[port]!, link.to)).toBeLessThan(4);
      const long = Math.hypot(geo.x2[port]! - geo.x1[port]!, geo.y2[port]! - geo.y1[port]!);
      expect(Math.hypot(geo.bx2[port]! - geo.x1[port]!, geo.by2[port]! - geo.y1[port]!)).toBeLessThan(long / 2 + 6);
      expect(Math.hypot(geo.cx[port]! - (geo.x1[port]! + geo.x2[port]!) / 2, geo.cy[port]! - (geo.y1[port]! + geo.y2[port]!) / 2)).toBeGreaterThan(8);
    });
  });

  it('says how full a queue is by its own limit, by its switch, or by a hundred packets', () => {
    const link = { from: 0, to: 1, port: 0, rate_bps: 1, delay_ps: 1 };
    const of = (more: object, node = {}): number => fill({ kind: '', nodes: [{ name: 'a', host: false, ...node }], links: [{ ...link, ...more }] }, 0, 50, 60_000);
    expect(of({ queue_packets: 200 })).toBe(0.25);
    expect(of({ queue_bytes: 80_000 })).toBe(0.75);
    expect(of({}, { shared_bytes: 120_000 })).toBe(0.5);
    expect(of({})).toBe(0.5);
    expect(of({ queue_packets: 20 })).toBe(1);
  });
});

describe('packets', () => {
  it('have a shape each, told apart without colour', () => {
    const drawn = masks(8, 100).map((mask) => [...mask.at[0]!, ...mask.cover[0]!].join());
    expect(new Set(drawn).size).toBe(SHAPES.length);
    expect([0, ACK, AGAIN, MARKED, DETOURED, ACK | DETOURED, AGAIN | MARKED].map((flags) => SHAPES[shapeOf(flags)])).toEqual(['data', 'ack', 'again', 'marked', 'detoured', 'detoured', 'again']);
  });

  it('are painted where they are on their link', () => {
    const { view, drawn, frame } = stage(1);
    frame.port[0] = 6;
    frame.progress[0] = 0.5;
    frame.flags[0] = 0;
    drawn.place(frame, geo, view, 1);
    drawn.begin(8);
    drawn.paint(frame, look);
    const [x, y] = [Math.floor((geo.x1[6]! + geo.x2[6]!) / 2), Math.floor((geo.y1[6]! + geo.y2[6]!) / 2)];
    expect(drawn.pixels[y * 800 + x]! & 0xffffff).toBe(1);
    expect(drawn.pixels.filter((p) => p !== 0).length).toBeGreaterThan(30);
    expect(drawn.pixels.filter((p) => p !== 0).length).toBeLessThan(80);
  });

  it('leave the line when they are detoured, with an outline', () => {
    const { view, drawn, frame } = stage(1);
    frame.port[0] = 6;
    frame.progress[0] = 0.5;
    frame.flags[0] = DETOURED;
    drawn.place(frame, geo, view, 1);
    drawn.begin(8);
    drawn.paint(frame, look);
    const far = Math.hypot(drawn.x[0]! - (geo.x1[6]! + geo.x2[6]!) / 2, drawn.y[0]! - (geo.y1[6]! + geo.y2[6]!) / 2);
    expect(far).toBeGreaterThan(4);
    expect(new Set(drawn.pixels.map((p) => p & 0xffffff))).toEqual(new Set([0, 5, 9]));
  });

  it('that are not of the selected flow are fainter', () => {
    const { view, drawn, frame } = stage(1);
    const brightest = (lit: boolean): number => {
      drawn.place(frame, geo, view, 1);
      drawn.begin(8);
      drawn.paint(frame, { ...look, lit: () => lit });
      return drawn.pixels.reduce((most, p) => Math.max(most, p >>> 24), 0);
    };
    expect(brightest(false)).toBeLessThan(60);
    expect(brightest(true)).toBeGreaterThan(240);
  });

  it('outside the window, by zoom or at its edge, are left out without a trace', () => {
    const { view, drawn, frame } = stage(500);
    for (const [zoom, dx] of [[1, -780], [30, 0], [8, 3000]] as const) {
      view.fit();
      view.zoom(zoom);
      view.pan(dx, 0);
      drawn.place(frame, geo, view, 1);
      drawn.begin(11);
      expect(() => drawn.paint(frame, look)).not.toThrow();
    }
  });

  it('at the right edge do not come in again on the left', () => {
    const { view, drawn, frame } = stage(1);
    // Of the port that is furthest to the right, so that its middle comes into the last column.
    const port = geo.x1.indexOf(geo.x1.reduce((most, x) => Math.max(most, x), 0));
    [frame.port[0], frame.progress[0], frame.flags[0]] = [port, 0, 0];
    view.pan(799.4 - geo.x1[port]!, 0);
    drawn.place(frame, geo, view, 1);
    drawn.begin(8);
    drawn.paint(frame, look);
    expect(Math.floor(drawn.x[0]!)).toBe(799);
    expect(drawn.pixels.some((p, i) => p !== 0 && i % 800 < 20)).toBe(false);
  });

  it('take no memory anew from frame to frame', () => {
    const { view, drawn } = stage(0);
    const player = fake(network, 400);
    drawn.place(player.frame(0, 1), geo, view, 1);
    const [x, pixels] = [drawn.x, drawn.pixels];
    for (let i = 0; i < 50; i++) {
      drawn.place(player.frame(i * 1e7, 1), geo, view, 1);
      drawn.begin(8);
      drawn.paint(player.frame(i * 1e7, 1), look);
    }
    expect(drawn.x).toBe(x);
    expect(drawn.pixels).toBe(pixels);
  });
});

describe('picking', () => {
  it('finds a packet before a queue before a node before a link', () => {
    const { view, drawn, frame } = stage(1);
    frame.port[0] = 6;
    frame.progress[0] = 0.5;
    frame.flags[0] = 0;
    drawn.place(frame, geo, view, 1);
    const hit = (x: number, y: number): unknown => pick(x, y, 4, 1, network, at, geo, view, frame, drawn);
    expect(hit(drawn.x[0]! + 2, drawn.y[0]!)).toMatchObject({ kind: 'packet', packet: frame.packet[0] });
    const port = network.links.findIndex((link) => network.nodes[link.from]!.tier === 'core');
    expect(hit((geo.bx1[port]! + geo.bx2[port]!) / 2, (geo.by1[port]! + geo.by2[port]!) / 2)).toEqual({ kind: 'port', port });
    expect(hit(at.x[20]!, at.y[20]!)).toEqual({ kind: 'node', node: 20 });
    expect(hit(3, 3)).toBeNull();
  });
});

it('names the hops over each port, so that a packet that comes back shows twice', () => {
  const journey = fake(network, 1).journey(0);
  const hops = [...hopsByPort(journey).values()].map((one) => one.hops.join());
  expect(hops).toContain('3,5');
});

describe('view', () => {
  it('keeps the point under the pointer where it is, and always shows some of the drawing', () => {
    const view = new View();
    view.resize(800, 500);
    const world = (x: number): number => (x - view.x) / view.scale;
    const before = world(200);
    view.zoom(3, 200, 100);
    expect(world(200)).toBeCloseTo(before, 6);
    view.pan(1e6, 1e6);
    expect(view.x).toBeLessThan(800);
    view.fit();
    expect([view.scale, view.x, view.y]).toEqual([1, 0, 0]);
  });
});

it('reads colours however a browser writes them', () => {
  expect(parse('#0072b2')).toEqual([0, 114, 178]);
  expect(parse('rgb(1, 2, 3)')).toEqual([1, 2, 3]);
  expect(parse('color(srgb 1 0 0.5)')).toEqual([255, 0, 127.5]);
  expect(parse('oklch(1 2 3)')).toBeNull();
  expect(word([1, 2, 3])).toBe(0x030201);
});

it('lays bars that do not meet those of the next port at a switch with many', () => {
  const wide = leafSpine(8, 4, 40);
  const there = layout(wide, 1280, 640);
  const g = geometry(wide, there);
  expect(g.bar).toBeGreaterThan(0.5);
  expect(g.bar).toBeLessThan(4);
});
