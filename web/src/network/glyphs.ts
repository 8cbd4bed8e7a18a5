/**
 * Small shapes as masks of pixels: what a packet is shows in its shape, whatever its colour.
 *
 * **Decision**  distance to the shape's edge, per pixel (so edges are smooth), at four by four places within a pixel (so slow packets move smoothly).
 * **Units**     pixels of the screen; a mask's middle is at (half, half).
 */
import { ACK, AGAIN, DETOURED, MARKED, TRIMMED } from '../engine/api.ts';

export const SHAPES = ['data', 'ack', 'again', 'marked', 'detoured', 'trimmed', 'drop'] as const;
export type Shape = (typeof SHAPES)[number];

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

/** Masks of one shape at one size, 16 of them: of each the pixels that it covers, and no others. */
export interface Masks {
  /** It reaches so far from the pixel of its middle. */
  half: number;
  /** Where a pixel is from the middle's, in an image of the width that was given. */
  at: Int32Array[];
  /** How much of it is covered, 0 to 255, and whether that is outline. */
  cover: Uint8Array[];
  edge: Uint8Array[];
}

/** Masks of all shapes, for data packets of this diameter in an image of this width. */
export function masks(diameter: number, width: number): Masks[] {
  return SHAPES.map((_, shape) => mask(shape, diameter * SIZES[shape]!, width));
}

function mask(shape: number, diameter: number, width: number): Masks {
  const half = Math.ceil(diameter / 2) + 1;
  const found: Masks = { half, at: [], cover: [], edge: [] };
  for (let phase = 0; phase < 16; phase++) {
    const [at, cover, edge]: [number[], number[], number[]] = [[], [], []];
    for (let row = -half; row <= half; row++) {
      for (let column = -half; column <= half; column++) {
        const x = (column + 0.5 - (phase & 3) / 4) / (diameter / 2);
        const y = (row + 0.5 - (phase >> 2) / 4) / (diameter / 2);
        const far = distance(shape, x, y) * (diameter / 2);
        const covered = Math.round(255 * Math.min(1, Math.max(0, 0.5 - far)));
        if (covered < 8) continue;
        at.push(row * width + column);
        cover.push(covered);
        // Detoured and sent-again packets have an outline; it takes a pixel.
        edge.push((shape === 4 || shape === 2) && far > -1.1 ? 1 : 0);
      }
    }
    found.at.push(Int32Array.from(at));
    found.cover.push(Uint8Array.from(cover));
    found.edge.push(Uint8Array.from(edge));
  }
  return found;
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
