/**
 * What jsdom lacks and charts ask for: media queries, sizes, a canvas that takes every call. Nothing is drawn in these tests; the
 * end-to-end tests look at pictures.
 */
import { afterEach } from 'vitest';

if (typeof window !== 'undefined') {
  const { cleanup } = await import('@testing-library/svelte');
  afterEach(() => cleanup());
  window.matchMedia ??= (media: string) =>
    ({ media, matches: false, onchange: null, addEventListener() {}, removeEventListener() {}, addListener() {}, removeListener() {}, dispatchEvent: () => false }) as MediaQueryList;
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  globalThis.Path2D ??= class {
    moveTo() {}
    lineTo() {}
    rect() {}
    arc() {}
    closePath() {}
  } as unknown as typeof Path2D;
  const context = new Proxy({}, { get: (_, name) => (name === 'measureText' ? () => ({ width: 8 }) : name === 'canvas' ? document.createElement('canvas') : () => undefined), set: () => true });
  HTMLCanvasElement.prototype.getContext = ((kind: string) => (kind === '2d' ? context : null)) as never;
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
    this.dispatchEvent(new Event('close'));
  };
}
