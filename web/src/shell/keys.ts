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
    ],
  },
  {
    title: 'The page',
    keys: [
      { keys: ['1', '2', '3'], does: 'watch, distributions, lab' },
      { keys: ['Q', 'F', 'P', 'S'], does: 'the panel of a query, flow, packet or switch' },
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
