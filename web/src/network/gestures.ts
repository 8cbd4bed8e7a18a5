/** Wheel, drag, pinch, hover and click on a drawing. What they do is the caller's; listeners leave with what is returned. */
import { REACH } from './pick.ts';
import type { View } from './view.ts';

/** Below so many pixels a press that moves is a click still. */
const STILL = 5;

export interface Gestures {
  hover: (x: number, y: number, reach: number) => void;
  leave: () => void;
  click: (x: number, y: number, reach: number) => void;
}

export function gestures(box: HTMLElement, view: View, to: Gestures): () => void {
  const down = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const at = (event: { clientX: number; clientY: number }): { x: number; y: number } => {
    const { left, top } = box.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const reach = (event: PointerEvent): number => (event.pointerType === 'touch' ? REACH.touch : REACH.mouse);

  const pressed = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (down.size === 0) moved = 0;
    down.set(event.pointerId, at(event));
  };
  const moving = (event: PointerEvent): void => {
    const now = at(event);
    const before = down.get(event.pointerId);
    if (!before) {
      if (event.pointerType !== 'touch') to.hover(now.x, now.y, reach(event));
      return;
    }
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (moved < STILL && !other) return;
    // Not before it is a drag: a captured press would take the click away from what is below.
    if (!box.hasPointerCapture(event.pointerId)) box.setPointerCapture(event.pointerId);
    to.leave();
    if (other) {
      const [a, b] = [Math.hypot(before.x - other.x, before.y - other.y), Math.hypot(now.x - other.x, now.y - other.y)];
      view.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      view.zoom(b / Math.max(a, 1), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else view.pan(now.x - before.x, now.y - before.y);
    down.set(event.pointerId, now);
  };
  const released = (event: PointerEvent): void => {
    if (!down.delete(event.pointerId) || event.type === 'pointercancel' || down.size > 0 || moved >= STILL) return;
    const { x, y } = at(event);
    to.click(x, y, reach(event));
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { x, y } = at(event);
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    view.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), x, y);
  };
  const left = (): void => to.leave();

  const leaving = new AbortController();
  const { signal } = leaving;
  box.addEventListener('pointerdown', pressed, { signal });
  box.addEventListener('pointermove', moving, { signal });
  box.addEventListener('pointerup', released, { signal });
  box.addEventListener('pointercancel', released, { signal });
  box.addEventListener('pointerleave', left, { signal });
  box.addEventListener('wheel', wheel, { passive: false, signal });
  return () => leaving.abort();
}
