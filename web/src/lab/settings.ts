/**
 * What the lab is set to: all that a run depends on, and what a link carries.
 *
 * Decision  values are texts as a scenario has them, and what is not set is not there: the simulator's default holds.
 * Units     those of each value's text.
 * Errors    none: what a link brings is made whole here, and what is wrong with a value the simulator says.
 */

/** Where the scenario comes from: the form, the form with a list of flows, or the text of a scenario. */
export type From = 'form' | 'flows' | 'text';

/** Something with a kind and parameters. */
export interface Thing {
  kind: string;
  values: Record<string, string>;
}

export interface Traffic extends Thing {
  name: string;
}

export interface Settings {
  from: From;
  topology: Thing;
  /** One, or two to compare; none of a text is its first two. */
  schemes: string[];
  traffic: Traffic[];
  /** The keys at the top of a scenario. */
  values: Record<string, string>;
  /** `[switch]`, for each scheme that says nothing else. */
  switches: Record<string, string>;
  seed: string;
  /** Texts by name: what a scenario names, the list of flows as `FLOWS`. */
  files: Record<string, string>;
  /** The text of a scenario. */
  text: string;
  /** Microseconds of simulated time a second, to watch; empty is as fast as it can. */
  pace: string;
}

/** The list of flows. */
export const FLOWS = 'flows.csv';

/** What the lab opens with: an incast that overflows a port, and a detour that saves it. */
export function standard(): Settings {
  return {
    from: 'form',
    topology: { kind: 'fat_tree', values: { k: '4' } },
    schemes: ['dctcp', 'dibs'],
    traffic: [{ name: 'query', kind: 'incast', values: { degree: '15', flows: '4', size: '10 kB' } }],
    values: { duration: '1 ms' },
    switches: {},
    seed: '1',
    files: {},
    text: '',
    pace: '',
  };
}

/** What a link or a page before has left, made whole: a part that is no such part is the standard's. */
export function settingsOf(value: unknown): Settings {
  const given = record(value) ?? {};
  const from = given['from'];
  const base = standard();
  const schemes = Array.isArray(given['schemes']) ? texts(given['schemes']).slice(0, 2) : base.schemes;
  const traffic = Array.isArray(given['traffic']) ? given['traffic'].map(trafficOf) : base.traffic;
  return {
    from: from === 'flows' || from === 'text' ? from : 'form',
    topology: thing(given['topology']) ?? base.topology,
    schemes,
    traffic: traffic.filter((one): one is Traffic => one !== undefined),
    values: record(given['values']) === undefined ? base.values : values(given['values']),
    switches: values(given['switches']),
    seed: text(given['seed']) ?? base.seed,
    files: values(given['files']),
    text: text(given['text']) ?? '',
    pace: text(given['pace']) ?? '',
  };
}

/** A name that no other traffic has. */
export function freeName(traffic: Traffic[], kind: string): string {
  const taken = new Set(traffic.map((one) => one.name));
  const base = kind.replace(/[^A-Za-z0-9_-]/g, '-') || 'traffic';
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

function record(value: unknown): Record<string, unknown> | undefined {
  const is = typeof value === 'object' && value !== null && !Array.isArray(value);
  return is ? (value as Record<string, unknown>) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(values: unknown[]): string[] {
  return values.filter((one): one is string => typeof one === 'string');
}

function values(value: unknown): Record<string, string> {
  const pairs = Object.entries(record(value) ?? {});
  // `__proto__` as a key would set no key.
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

function thing(value: unknown): Thing | undefined {
  const kind = text(record(value)?.['kind']);
  return kind === undefined ? undefined : { kind, values: values(record(value)?.['values']) };
}

function trafficOf(value: unknown): Traffic | undefined {
  const of = thing(value);
  const name = text(record(value)?.['name']);
  return of === undefined || name === undefined ? undefined : { name, ...of };
}
