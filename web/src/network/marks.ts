/**
 * What the scrubber shows of the whole time: how many drops and detours in each of its parts, and when queries began and ended.
 *
 * **Decision**  a part is asked for at most `MOST` happenings, a few parts at a time, so that the page answers meanwhile.
 * **State**     one array for each kind, as long as the scrubber has parts.
 */
import type { Player, Ps } from '../engine/api.ts';

export const PARTS = 200;
const MOST = 20;
const AT_A_TIME = 4;

export interface Marks {
  drops: Uint8Array;
  detours: Uint8Array;
}

/** Kinds as happenings name them. */
const KINDS: Record<keyof Marks, string[]> = { drops: ['drop'], detours: ['detour', 'deflect'] };

/** Gathers the marks of `player`; `ready` hears of each few parts. Ends early when what is returned is called. */
export function gather(player: Player, from: Ps, to: Ps, ready: (marks: Marks) => void, failed: (error: unknown) => void): () => void {
  const marks: Marks = { drops: new Uint8Array(PARTS), detours: new Uint8Array(PARTS) };
  const wide = (to - from) / PARTS;
  let part = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const some = (): void => {
    try {
      for (let i = 0; i < AT_A_TIME && part < PARTS; i++, part++) {
        const [a, b] = [Math.round(from + part * wide), Math.round(from + (part + 1) * wide)];
        for (const kind of ['drops', 'detours'] as const) marks[kind][part] = player.happenings(a, b, MOST, { kinds: KINDS[kind] }).length;
      }
    } catch (error) {
      failed(error);
      return;
    }
    ready(marks);
    if (part < PARTS) timer = setTimeout(some, 8);
  };
  timer = setTimeout(some, 60);
  return () => clearTimeout(timer);
}

/** Draws the marks: detours above, drops below, darker where there are more; a bracket for each query. */
export function drawMarks(
  g: CanvasRenderingContext2D,
  size: { width: number; height: number },
  marks: readonly Marks[],
  queries: readonly { start: Ps; end: Ps | null }[],
  span: { from: Ps; to: Ps },
  loop: { from: Ps; to: Ps } | null,
  colours: { drop: string; detour: string; query: string; loop: string },
): void {
  const { width, height } = size;
  const at = (ps: Ps): number => ((ps - span.from) / Math.max(1, span.to - span.from)) * width;
  g.clearRect(0, 0, width, height);
  if (loop) {
    g.globalAlpha = 0.2;
    g.fillStyle = colours.loop;
    g.fillRect(at(loop.from), 0, Math.max(2, at(loop.to) - at(loop.from)), height);
    g.globalAlpha = 1;
  }
  const lane = (height - 6) / Math.max(1, marks.length) / 2;
  marks.forEach((one, i) => {
    for (const [kind, colour, row] of [['detours', colours.detour, 0], ['drops', colours.drop, 1]] as const) {
      g.fillStyle = colour;
      for (let part = 0; part < PARTS; part++) {
        const n = one[kind][part]!;
        if (n === 0) continue;
        const tall = Math.max(2, (lane - 1) * Math.min(1, n / MOST));
        g.fillRect((part / PARTS) * width, (2 * i + row + 1) * lane - tall, Math.max(1.5, width / PARTS - 0.3), tall);
      }
    }
  });
  g.strokeStyle = colours.query;
  g.lineWidth = 1;
  g.beginPath();
  for (const query of queries) {
    const [a, b] = [Math.max(0, at(query.start)), Math.min(width, query.end === null ? width : at(query.end))];
    if (b < 0 || a > width) continue;
    g.moveTo(a + 0.5, height - 6);
    g.lineTo(a + 0.5, height - 1.5);
    g.lineTo(b - 0.5, height - 1.5);
    g.lineTo(b - 0.5, height - 6);
  }
  g.stroke();
}
