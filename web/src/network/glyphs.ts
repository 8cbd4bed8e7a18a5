/**
 * Small shapes as masks of pixels: what a packet is shows in its shape, whatever its colour.
 *
 * **Decision**  distance to the shape's edge, per pixel (so edges are smooth), at four by four places within a pixel (so slow packets move smoothly).
 * **Units**     pixels of the screen; a mask's middle is at (half, half).
 */
import { ACK, AGAIN, DETOURED, MARKED, TRIMMED } from '../engine/api.ts';

export const SHAPES = ['data', 'ack', 'again', 'marked', 'detoured', 'trimmed', 'drop'] as const;
export type Shape = (typeof SHAPES)[number];

/** In words, for tooltips and legends. */
export const SHAPE_WORDS: Record<Shape, string> = {
  data: 'data: disc',
  ack: 'acknowledgement: small triangle',
  again: 'sent again: square',
  marked: 'marked (ECN): ring',
  detoured: 'detoured: diamond on a bent way',
  trimmed: 'trimmed: bar',
  drop: 'dropped: cross',
};

/** What a packet is shown as: the rarer thing first. */
export function shapeOf(flags: number): number {
  if (flags & DETOURED) return 4;
  if (flags & TRIMMED) return 5;
  if (flags & AGAIN) return 2;
  if (flags & MARKED) return 3;
  return flags & ACK ? 1 : 0;
}

/** How large it is beside a data packet. */
const SIZES = [1, 0.85, 1.05, 1.25, 1.6, 1.1, 2] as const;

/** Masks of one shape at one size: 16 of `side` x `side`, row by row. */
export interface Masks {
  side: number;
  half: number;
  /** How much of a pixel it covers, and how much of that is outline, 0 to 255. */
  cover: Uint8Array[];
  edge: Uint8Array[];
}

/** Masks of all shapes, for data packets of this diameter. */
export function masks(diameter: number): Masks[] {
  return SHAPES.map((_, shape) => mask(shape, diameter * SIZES[shape]!));
}

function mask(shape: number, diameter: number): Masks {
  const half = Math.ceil(diameter / 2) + 1;
  const side = 2 * half + 1;
  const [cover, edge]: [Uint8Array[], Uint8Array[]] = [[], []];
  for (let phase = 0; phase < 16; phase++) {
    const [c, e] = [new Uint8Array(side * side), new Uint8Array(side * side)];
    const [ox, oy] = [half + (phase & 3) / 4, half + (phase >> 2) / 4];
    for (let i = 0; i < side * side; i++) {
      const x = ((i % side) + 0.5 - ox) / (diameter / 2);
      const y = (Math.floor(i / side) + 0.5 - oy) / (diameter / 2);
      const far = distance(shape, x, y) * (diameter / 2);
      c[i] = 255 * Math.min(1, Math.max(0, 0.5 - far));
      // Detoured and sent-again packets have an outline; it takes a pixel.
      e[i] = shape === 4 || shape === 2 ? 255 * Math.min(1, Math.max(0, far + 1.6)) : 0;
    }
    cover.push(c);
    edge.push(e);
  }
  return { side, half, cover, edge };
}

/** Signed distance to the edge of a shape within the unit circle, negative inside. */
function distance(shape: number, x: number, y: number): number {
  switch (SHAPES[shape]) {
    case 'ack':
      return Math.max(0.87 * Math.abs(x) - 0.5 * y - 0.5, y - 0.6);
    case 'again':
      return Math.max(Math.abs(x), Math.abs(y)) - 0.85;
    case 'marked':
      return Math.abs(Math.hypot(x, y) - 0.68) - 0.3;
    case 'detoured':
      return (Math.abs(x) + Math.abs(y) - 1) * 0.707;
    case 'trimmed':
      return Math.max(Math.abs(x) - 1, Math.abs(y) - 0.4);
    case 'drop': {
      const [u, v] = [Math.abs(x + y) * 0.707, Math.abs(x - y) * 0.707];
      return Math.max(Math.min(u, v) - 0.2, Math.max(u, v) - 0.95);
    }
    default:
      return Math.hypot(x, y) - 0.92;
  }
}
