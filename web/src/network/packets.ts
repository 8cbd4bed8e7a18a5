/**
 * The layer of packets: where each is on the screen, and its pixels.
 *
 * **Decision**  masks are written into an image by this code, which is shown by `putImageData`: with software rendering that is several times as fast as
 *               WebGL or canvas calls for ten thousand packets (docs/how-to/page.md, *Drawing*).
 * **State**     positions of the packets last placed, for the pointer; buffers grow with the most packets seen, and nothing is allocated for a frame.
 * **Units**     positions in pixels of the image (CSS pixels times `ratio`).
 */
import { DETOURED, type Frame } from '../engine/api.ts';
import type { Geometry } from './geometry.ts';
import { masks, shapeOf, type Masks } from './glyphs.ts';
import type { View } from './view.ts';

/** How packets are to look. Colours are words as `colours.ts` makes them. */
export interface Look {
  /** Of each shape, or of each of eight flows. */
  colours: Uint32Array;
  edge: number;
  drop: number;
  byFlow: boolean;
  /** Says whether a packet of this flow stands out; null: all of them alike. */
  lit: ((flow: number, packet: number) => boolean) | null;
}

const DIM = 46;
const SHAPE_OF = Uint8Array.from({ length: 32 }, (_, flags) => shapeOf(flags));
const DROP = 6;

export class Packets {
  x = new Float32Array(0);
  y = new Float32Array(0);
  count = 0;
  #pixels = new Uint32Array(0);
  #image: ImageData | null = null;
  #width = 0;
  #height = 0;
  #masks: Masks[] = [];
  #diameter = 0;
  #masksWidth = 0;
  #lit = new Uint8Array(0);

  /** The image is so large from now on, in pixels. */
  resize(width: number, height: number): void {
    if (width === this.#width && height === this.#height) return;
    [this.#width, this.#height] = [width, height];
    const bytes = new Uint8ClampedArray(width * height * 4);
    this.#pixels = new Uint32Array(bytes.buffer);
    this.#image = typeof ImageData === 'undefined' || width === 0 || height === 0 ? null : new ImageData(bytes, width, height);
  }

  /** The pixels that were painted, for tests and for who shows them. */
  get pixels(): Uint32Array {
    return this.#pixels;
  }

  /** Says where each moving packet is. */
  place(frame: Frame, geometry: Geometry, view: View, ratio: number): void {
    const n = frame.moving;
    if (n > this.x.length) {
      const room = Math.ceil(n * 1.5);
      [this.x, this.y, this.#lit] = [new Float32Array(room), new Float32Array(room), new Uint8Array(room)];
    }
    const { x1, y1, x2, y2, cx, cy } = geometry;
    const [scale, ox, oy] = [view.scale * ratio, view.x * ratio, view.y * ratio];
    const { port, progress, flags } = frame;
    const { x: xs, y: ys } = this;
    for (let i = 0; i < n; i++) {
      const p = port[i]!;
      const t = progress[i]!;
      let [x, y] = [0, 0];
      if (flags[i]! & DETOURED) {
        const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
        x = a * x1[p]! + b * cx[p]! + c * x2[p]!;
        y = a * y1[p]! + b * cy[p]! + c * y2[p]!;
      } else {
        x = x1[p]! + (x2[p]! - x1[p]!) * t;
        y = y1[p]! + (y2[p]! - y1[p]!) * t;
      }
      xs[i] = x * scale + ox;
      ys[i] = y * scale + oy;
    }
    this.count = n;
  }

  /** Begins an image: nothing is on it, and data packets have this diameter in pixels. */
  begin(diameter: number): void {
    this.#pixels.fill(0);
    if (diameter === this.#diameter && this.#width === this.#masksWidth) return;
    this.#diameter = diameter;
    this.#masksWidth = this.#width;
    this.#masks = masks(diameter, this.#width);
  }

  /** The packets placed last: dimmed ones first, detoured ones on top. */
  paint(frame: Frame, look: Look): void {
    const { flags, flow, packet } = frame;
    const lit = this.#lit;
    for (let i = 0; i < this.count; i++) lit[i] = look.lit === null || look.lit(flow[i]!, packet[i]!) ? 1 : 0;
    for (let pass = 0; pass < 3; pass++) {
      for (let i = 0; i < this.count; i++) {
        const f = flags[i]!;
        const layer = lit[i] === 0 ? 0 : f & DETOURED ? 2 : 1;
        if (layer !== pass) continue;
        const shape = SHAPE_OF[f & 31]!;
        const colour = look.colours[look.byFlow ? (Math.imul(flow[i]!, 0x9e3779b1) >>> 29) : shape]!;
        this.#stamp(shape, this.x[i]!, this.y[i]!, colour, look.edge, layer === 0 ? DIM : 255);
      }
    }
  }

  /** A cross where a packet was dropped; `alpha` from 0 to 1. */
  cross(x: number, y: number, look: Look, alpha: number): void {
    this.#stamp(DROP, x, y, look.drop, look.edge, Math.round(alpha * 255));
  }

  show(context: CanvasRenderingContext2D): void {
    if (this.#image) context.putImageData(this.#image, 0, 0);
  }

  #stamp(shape: number, x: number, y: number, colour: number, edge: number, alpha: number): void {
    const mask = this.#masks[shape]!;
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const { half } = mask;
    if (column < half || row < half || column + half >= this.#width || row + half >= this.#height) return;
    const phase = (Math.floor((y - row) * 4) << 2) | Math.floor((x - column) * 4);
    const [at, cover, edges] = [mask.at[phase]!, mask.cover[phase]!, mask.edge[phase]!];
    const middle = row * this.#width + column;
    const pixels = this.#pixels;
    for (let i = 0; i < at.length; i++) {
      const a = (cover[i]! * alpha) >> 8;
      const pixel = middle + at[i]!;
      const under = pixels[pixel]! >>> 24;
      // A faint pixel does not cover a fuller one; otherwise the later packet is on top.
      if (a < 110 && under > a) continue;
      pixels[pixel] = ((a > under ? a : under) << 24) | (edges[i] === 1 ? edge : colour);
    }
  }

  /** The packet nearest to a point of the image, within `reach` pixels; -1 for none. */
  near(x: number, y: number, reach: number): number {
    let [best, least] = [-1, reach * reach];
    for (let i = 0; i < this.count; i++) {
      const [dx, dy] = [this.x[i]! - x, this.y[i]! - y];
      const far = dx * dx + dy * dy;
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }
}
