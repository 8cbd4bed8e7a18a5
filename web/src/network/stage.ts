/**
 * Three canvases, one over the other, that show a network: links and queues, packets, and what is said about them.
 *
 * **Decision**  packets are drawn at every tick; links and queues, which change slowly and cost more, at most every `LINKS_EVERY` ms while it plays; the
 *               overlay when something on it changed.
 * **State**     layout and geometry of the present size; when each port last dropped, so that crosses fade. Nothing is allocated for a frame.
 * **Errors**    a frame that cannot be had is passed to `failed`, and the drawing stays as it was.
 */
import type { Frame, Journey, Network, Player, Ps } from '../engine/api.ts';
import { coloursOf, watchColours, word, type Colours } from './colours.ts';
import { geometry, type Geometry } from './geometry.ts';
import { layout, type Layout } from './layout.ts';
import { drawStill, drawUse, inks, type Inks } from './links.ts';
import { drawOverlay } from './overlay.ts';
import { Packets, type Look } from './packets.ts';
import { pick } from './pick.ts';
import type { Hit, Options, Selection } from './types.ts';
import { View } from './view.ts';

const LINKS_EVERY = 45;
/** … and at most every so many ticks, so that a slow machine gives its time to packets. */
const LINKS_TICKS = 4;

/** Where a stage takes what it shows. */
export interface Source {
  network: Network;
  frame: () => Frame;
  span: () => Ps;
  player?: Player;
  failed: (error: unknown) => void;
}

export class Stage {
  layout: Layout;
  geometry: Geometry;
  readonly view: View;
  readonly packets = new Packets();
  focus: Hit | null = null;
  #source: Source;
  #contexts: CanvasRenderingContext2D[];
  #canvases: HTMLCanvasElement[];
  #box: HTMLElement;
  #ratio = 1;
  #ink: Inks | null = null;
  #look: Look = { colours: new Uint32Array(8), edge: 0, drop: 0, byFlow: false, lit: null };
  #selection: Selection = {};
  #options: Options = {};
  #journey: Journey | null = null;
  #dropped: Float64Array;
  #still: CanvasRenderingContext2D | null = null;
  #linksAt = 0;
  #ticks = 0;
  #overlay = true;
  #begun = 0;
  #waiting = 0;
  #ended = false;
  readonly #leave: (() => void)[] = [];

  constructor(box: HTMLElement, canvases: HTMLCanvasElement[], source: Source, view: View | undefined) {
    this.#box = box;
    this.#canvases = canvases;
    this.#source = source;
    this.view = view ?? new View();
    this.#contexts = canvases.flatMap((canvas, i) => canvas.getContext('2d', { alpha: i > 0 }) ?? []);
    this.#dropped = new Float64Array(source.network.links.length).fill(-1);
    const { width, height } = box.getBoundingClientRect();
    this.layout = layout(source.network, width, height);
    this.geometry = geometry(source.network, this.layout);
    this.resize();
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(box);
    this.#leave.push(
      () => observer.disconnect(),
      this.view.subscribe(() => this.redraw()),
      watchColours(() => {
        this.#ink = null;
        this.redraw();
      }),
    );
  }

  /** Something was changed: all is drawn with the next frame of the screen. */
  redraw(): void {
    this.#overlay = true;
    if (this.#waiting !== 0 || this.#ended) return;
    this.#waiting = requestAnimationFrame(() => {
      this.#waiting = 0;
      this.draw(true);
    });
  }

  resize(): void {
    const { width, height } = this.#box.getBoundingClientRect();
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    if (width === 0 || height === 0) return;
    this.#ratio = ratio;
    for (const canvas of this.#canvases) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.packets.resize(Math.round(width * ratio), Math.round(height * ratio));
    this.layout = layout(this.#source.network, width, height);
    this.geometry = geometry(this.#source.network, this.layout);
    this.view.resize(width, height);
    this.redraw();
  }

  /** What is selected, and how it is to be shown. */
  choose(selection: Selection, options: Options): void {
    this.#selection = selection;
    this.#options = options;
    const { packet, flow, query } = selection;
    const player = this.#source.player;
    this.#journey = packet === undefined || !player ? null : this.#ask(() => player.journey(packet));
    const ofQuery = query === undefined || !player ? null : new Set(player.tail.flows.filter((f) => f.query === query).map((f) => f.id));
    this.#look.lit =
      packet !== undefined ? (_, id) => id === packet : flow !== undefined ? (id) => id === flow : ofQuery ? (id) => ofQuery.has(id) : null;
    this.#ink = null;
    this.redraw();
  }

  /** Where the selected packet went; null when none is selected. */
  get journey(): Journey | null {
    return this.#journey;
  }

  setFocus(hit: Hit | null): void {
    this.focus = hit;
    this.#drawOver();
  }

  at(x: number, y: number, reach: number): Hit | null {
    const frame = this.#ask(this.#source.frame);
    if (!frame) return null;
    return pick(x, y, reach, this.#ratio, this.#source.network, this.layout, this.geometry, this.view, frame, this.packets);
  }

  /** Draws the present frame; `whole` when it stands still or something else than the time changed. */
  draw(whole: boolean): void {
    if (this.#ended || this.#contexts.length < 3) return;
    const frame = this.#ask(this.#source.frame);
    if (!frame) return;
    const ink = this.#inks();
    const now = performance.now();
    const { network } = this.#source;
    if (whole || (++this.#ticks >= LINKS_TICKS && now - this.#linksAt >= LINKS_EVERY)) {
      this.#linksAt = now;
      this.#ticks = 0;
      const g = this.#contexts[0]!;
      if (whole) this.#drawStill(ink);
      g.setTransform(1, 0, 0, 1, 0, 0);
      if (this.#still) g.drawImage(this.#still.canvas, 0, 0);
      g.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
      drawUse(g, network, this.geometry, this.view, ink, frame, this.#look.lit !== null);
    }
    this.packets.place(frame, this.geometry, this.view, this.#ratio);
    this.packets.begin(this.#diameter());
    this.packets.paint(frame, this.#look);
    this.#crosses(frame);
    this.packets.show(this.#contexts[1]!);
    const begun = this.#journey === null ? 0 : hopsBegun(this.#journey, frame.at);
    if (this.#overlay || begun !== this.#begun) {
      this.#begun = begun;
      this.#overlay = false;
      this.#drawOver();
    }
  }

  destroy(): void {
    this.#ended = true;
    cancelAnimationFrame(this.#waiting);
    for (const leave of this.#leave) leave();
    this.#leave.length = 0;
    this.packets.resize(0, 0);
    // Browsers free the memory of canvases without size at once.
    for (const canvas of [...this.#canvases, this.#still?.canvas]) if (canvas) canvas.width = canvas.height = 0;
  }

  /** Pods, cables and nodes on a canvas of their own, which is not shown. */
  #drawStill(ink: Inks): void {
    const canvas = this.#still?.canvas ?? document.createElement('canvas');
    const g = (this.#still ??= canvas.getContext('2d', { alpha: false }));
    const { width, height } = this.#canvases[0]!;
    if (!g) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    g.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    drawStill(g, this.#source.network, this.layout, this.geometry, this.view, ink);
  }

  #drawOver(): void {
    const g = this.#contexts[2];
    if (!g || this.#ended) return;
    g.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    const over = { selection: this.#selection, focus: this.focus, journey: this.#journey, begun: this.#begun, labels: this.#options.labels ?? true };
    drawOverlay(g, this.#source.network, this.layout, this.geometry, this.view, this.#inks(), over);
  }

  /** Smaller in larger networks, and growing slowly with zoom; in steps, since each size has its masks. */
  #diameter(): number {
    const ports = this.#source.network.links.length;
    const size = ports <= 100 ? 8 : ports <= 400 ? 7 : ports <= 1000 ? 5.5 : 4.5;
    return Math.round(size * Math.min(Math.max(this.view.scale, 1) ** 0.45, 2.2) * this.#ratio * 2) / 2;
  }

  /** A cross at each port that dropped within the span, fading with its age. */
  #crosses(frame: Frame): void {
    const { drops, at } = frame;
    const span = this.#source.span();
    const { bx2, by2 } = this.geometry;
    const { scale, x, y } = this.view;
    for (let p = 0; p < drops.length; p++) {
      if (drops[p] === 0) {
        this.#dropped[p] = -1;
        continue;
      }
      const before = this.#dropped[p]!;
      if (before < 0 || before > at) this.#dropped[p] = at;
      const age = Math.min(1, (at - this.#dropped[p]!) / span);
      this.packets.cross((bx2[p]! * scale + x) * this.#ratio, (by2[p]! * scale + y) * this.#ratio, this.#look, 1 - 0.7 * age);
    }
  }

  #inks(): Inks {
    if (this.#ink) return this.#ink;
    const colours = coloursOf(this.#box);
    this.#ink = inks(colours);
    this.#look = { ...this.#look, ...lookOf(colours, this.#options.colouring === 'flow') };
    return this.#ink;
  }

  #ask<T>(ask: () => T): T | null {
    try {
      return ask();
    } catch (error) {
      this.#source.failed(error);
      return null;
    }
  }
}

/** Colours of shapes in the order of `SHAPES`, or of eight flows. */
export function lookOf(c: Colours, byFlow: boolean): Omit<Look, 'lit'> {
  const of = byFlow ? [c.c1, c.c2, c.c3, c.c4, c.c5, c.c6, c.c7, c.c8] : [c.c1, c.muted, c.c2, c.c5, c.c4, c.c7, c.bad, c.fg];
  return { colours: Uint32Array.from(of, word), edge: word(c.fg), drop: word(c.bad), byFlow };
}

export function hopsBegun(journey: Journey, at: Ps): number {
  let n = 0;
  while (n < journey.path.length && journey.path[n]!.enqueued <= at) n++;
  return n;
}
