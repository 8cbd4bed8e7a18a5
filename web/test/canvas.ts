/** What jsdom lacks and the drawing needs: contexts that take every call, observers and media queries that count who listens. */
export interface Counts {
  observers: number;
  media: number;
  frames: Map<number, (now: number) => void>;
}

/** Puts the stand-ins in place; `frame(now)` runs what waits for the screen. */
export function standIn(): { counts: Counts; frame: (now: number) => void; motion: (reduced: boolean) => void } {
  const counts: Counts = { observers: 0, media: 0, frames: new Map() };
  const calls = new Proxy({}, { get: (target: Record<string, unknown>, key: string) => target[key] ?? (() => undefined), set: (target, key: string, value) => ((target[key] = value), true) });
  HTMLCanvasElement.prototype.getContext = (() => calls) as never;
  Element.prototype.getBoundingClientRect = () => ({ x: 0, y: 0, left: 0, top: 0, width: 800, height: 500, right: 800, bottom: 500, toJSON: () => '' });
  class Observer {
    observe(): void {
      counts.observers++;
    }
    unobserve(): void {
      counts.observers--;
    }
    disconnect(): void {
      counts.observers--;
    }
    takeRecords(): [] {
      return [];
    }
  }
  const listeners = new Set<() => void>();
  let reduced = false;
  const global = globalThis as unknown as Record<string, unknown>;
  global['ResizeObserver'] = Observer;
  global['MutationObserver'] = Observer;
  global['matchMedia'] = (query: string) => ({
    get matches() {
      return query.includes('reduced-motion') && reduced;
    },
    addEventListener: (_: string, listener: () => void) => {
      counts.media++;
      listeners.add(listener);
    },
    removeEventListener: (_: string, listener: () => void) => {
      counts.media--;
      listeners.delete(listener);
    },
  });
  // As in browsers: an image without pixels is an error.
  global['ImageData'] = class {
    constructor(
      readonly data: Uint8ClampedArray,
      readonly width: number,
      readonly height: number,
    ) {
      if (width === 0 || height === 0) throw new Error('IndexSizeError');
    }
  };
  let next = 1;
  global['requestAnimationFrame'] = (call: (now: number) => void) => {
    counts.frames.set(next, call);
    return next++;
  };
  global['cancelAnimationFrame'] = (id: number) => counts.frames.delete(id);
  return {
    counts,
    frame(now) {
      const waiting = [...counts.frames.values()];
      counts.frames.clear();
      for (const call of waiting) call(now);
    },
    motion(wanted) {
      reduced = wanted;
      for (const listener of listeners) listener();
    },
  };
}
