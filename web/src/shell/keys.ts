/** The keys of the page, for the help dialog and for the handler: one list. Those of the drawing and of the clock belong to them and are only told here. */
export interface Key {
  keys: string[];
  does: string;
}

export const GROUPS: { title: string; keys: Key[] }[] = [
  {
    title: 'The clock',
    keys: [
      { keys: ['Space'], does: 'play or pause' },
      { keys: ['←', '→'], does: 'one event back or forward; with Shift ten' },
      { keys: ['Home', 'End'], does: 'to the beginning or the end' },
      { keys: ['J', 'K', 'L'], does: 'slower, play or pause, faster' },
      { keys: ['[', ']'], does: 'slower, faster' },
    ],
  },
  {
    title: 'The drawing, when it has the focus',
    keys: [
      { keys: ['+', '−', '0'], does: 'larger, smaller, fit' },
      { keys: ['arrows'], does: 'move it' },
      { keys: ['N', 'P'], does: 'next or previous node' },
      { keys: ['Q'], does: 'next queue of the node; with Shift the one before' },
      { keys: ['Enter'], does: 'select it' },
    ],
  },
  {
    title: 'The page',
    keys: [
      { keys: ['1', '2', '3'], does: 'watch, distributions, lab' },
      { keys: ['4', '5', '6', '7'], does: 'the panel of a query, flow, packet or switch' },
      { keys: ['M'], does: 'show the moment that made the query slow' },
      { keys: ['O'], does: 'open recordings' },
      { keys: ['T'], does: 'light or dark' },
      { keys: ['Escape'], does: 'select nothing, close a dialog' },
      { keys: ['?'], does: 'this help' },
    ],
  },
];

/** Whether a key belongs to what has the focus: letters in a field, and anything with Ctrl, Alt or Meta. */
export function taken(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return true;
  const target = event.target;
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.closest('dialog') !== null);
}

/** Whether a key of the clock goes to the clock: everywhere its letters, in the drawing and where nothing has the focus all of them. */
export function forClock(event: KeyboardEvent): boolean {
  if (/^[jkl[\]]$/i.test(event.key)) return true;
  const target = event.target;
  if (!(target instanceof HTMLElement)) return true;
  if (target === document.body || target.tagName === 'MAIN') return true;
  return target.closest('.drawing') !== null && target.closest('button, summary, a') === null;
}
