/**
 * The page's state in the fragment of its address: a link opens the same moment.
 *
 * `#view=watch&at=12345678&query=3&side=1&packet=17`: `at` in whole picoseconds, everything else by number. What does not read as that
 * is left out, with a sentence for the reader; names that this page does not know are passed over, so that links of
 * later pages open as far as they can. A fragment that begins with `lab=` belongs to the lab.
 */
import type { Ps } from '../engine/api';

export const VIEWS = ['watch', 'distributions', 'lab'] as const;
export type View = (typeof VIEWS)[number];
export const PANELS = ['query', 'flow', 'packet', 'switch'] as const;
export type Panel = (typeof PANELS)[number];

/** What a link can say. */
export interface Moment {
  view?: View;
  panel?: Panel;
  at?: Ps;
  /** Which of the two recordings the packet is of: 0 or 1. */
  side?: number;
  /** Which recordings stand side by side, by their place in the list. */
  left?: number;
  right?: number;
  packet?: number;
  flow?: number;
  query?: number;
  node?: number;
  port?: number;
}

const NUMBERS = ['at', 'side', 'left', 'right', 'packet', 'flow', 'query', 'node', 'port'] as const;

/** Reads a fragment, with or without its `#`. */
export function read(fragment: string): { moment: Moment; problems: string[] } {
  const text = fragment.replace(/^#/, '');
  if (text.startsWith('lab=')) return { moment: { view: 'lab' }, problems: [] };
  const moment: Moment = {};
  const problems: string[] = [];
  const given = new URLSearchParams(text);
  for (const name of NUMBERS) {
    const value = given.get(name);
    if (value === null) continue;
    const number = Number(value);
    if (/^\d+$/.test(value) && Number.isSafeInteger(number)) moment[name] = number;
    else problems.push(`The link says ${name}=${shortened(value)}, which is no whole number; it is left out.`);
  }
  const view = given.get('view');
  if (view !== null) {
    if (isOne(VIEWS, view)) moment.view = view;
    else problems.push(`The link asks for a view called ${shortened(view)}, which this page does not have.`);
  }
  const panel = given.get('panel');
  if (panel !== null) {
    if (isOne(PANELS, panel)) moment.panel = panel;
    else problems.push(`The link asks for a panel called ${shortened(panel)}, which this page does not have.`);
  }
  return { moment, problems };
}

/** The fragment of a moment, with its `#`; numbers that are 0 stand there, what is not said does not. */
export function write(moment: Moment): string {
  const out = new URLSearchParams();
  if (moment.view) out.set('view', moment.view);
  if (moment.panel) out.set('panel', moment.panel);
  for (const name of NUMBERS) {
    const value = moment[name];
    if (value !== undefined) out.set(name, String(name === 'at' ? Math.round(value) : value));
  }
  return `#${out.toString()}`;
}

function isOne<T extends string>(all: readonly T[], text: string): text is T {
  return (all as readonly string[]).includes(text);
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 24 ? `${text.slice(0, 24)}…` : text);
}
