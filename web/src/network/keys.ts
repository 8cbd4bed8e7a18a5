/** Keys of the drawing and of the clock; each returns whether it took the key. */
import type { Network } from '../engine/api.ts';
import type { Clock } from './clock.svelte.ts';
import type { Hit } from './types.ts';
import type { View } from './view.ts';

/** Keys of the clock, for the transport and for the whole page. */
export function clockKey(clock: Clock, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const far = event.shiftKey ? 10 : 1;
  switch (event.key) {
    case ' ':
    case 'k':
    case 'K':
      clock.toggle();
      return true;
    case 'ArrowRight':
      clock.step(far);
      return true;
    case 'ArrowLeft':
      clock.step(-far);
      return true;
    case 'Home':
      clock.home();
      return true;
    case 'End':
      clock.end();
      return true;
    case 'l':
    case 'L':
    case ']':
      clock.faster(1);
      return true;
    case 'j':
    case 'J':
    case '[':
      clock.faster(-1);
      return true;
  }
  return false;
}

/** Keys of the drawing: zoom and move. */
export function viewKey(view: View, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const step = event.shiftKey ? 200 : 50;
  const moves: Record<string, () => void> = {
    '+': () => view.zoom(1.25),
    '=': () => view.zoom(1.25),
    '-': () => view.zoom(0.8),
    _: () => view.zoom(0.8),
    '0': () => view.fit(),
    ArrowLeft: () => view.pan(step, 0),
    ArrowRight: () => view.pan(-step, 0),
    ArrowUp: () => view.pan(0, step),
    ArrowDown: () => view.pan(0, -step),
  };
  const move = moves[event.key];
  move?.();
  return move !== undefined;
}

/** The next thing to have the focus: `n` and `p` go through nodes, `q` through the queues of the node, each backwards with shift; null for other keys. */
export function nextFocus(network: Network, focus: Hit | null, event: KeyboardEvent): Hit | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const key = event.key.toLowerCase();
  const back = event.shiftKey !== (key === 'p');
  const node = focus?.kind === 'node' ? focus.node : focus ? (network.links[focus.port]?.from ?? 0) : null;
  if (key === 'n' || key === 'p') {
    // Switches first: there are fewer of them, and queues are there.
    const order = [...network.nodes.keys()].sort((a, b) => Number(network.nodes[a]!.host) - Number(network.nodes[b]!.host) || a - b);
    const at = node === null ? (back ? 0 : -1) : order.indexOf(node);
    const next = order[(at + (back ? -1 : 1) + order.length) % order.length];
    return next === undefined ? null : { kind: 'node', node: next };
  }
  if (key === 'q' && node !== null) {
    const ports = network.links.flatMap((link, p) => (link.from === node ? [p] : []));
    const at = focus?.kind === 'port' ? ports.indexOf(focus.port) : back ? 0 : -1;
    const next = ports[(at + (back ? -1 : 1) + ports.length) % ports.length];
    return next === undefined ? null : { kind: 'port', port: next };
  }
  return null;
}
