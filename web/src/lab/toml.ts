/**
 * The scenario that settings mean, as a user would write it.
 *
 * Decision  a value that is a whole number or a flag stands bare where its parameter expects one, every other in quotes;
 *           an empty one is left out.
 * Errors    none: what is wrong with a value the simulator says, at its key.
 */
import { Catalog, type Param } from './catalog.ts';
import { FLOWS, type Settings, type Thing } from './settings.ts';

/** The scenario, and the files that it may name. */
export interface Scenario {
  toml: string;
  files: Record<string, string>;
}

export function scenarioOf(settings: Settings, catalog: Catalog): Scenario {
  if (settings.from === 'text') return { toml: settings.text, files: settings.files };
  return { toml: tomlOf(settings, catalog), files: settings.files };
}

export function tomlOf(settings: Settings, catalog: Catalog): string {
  const schemes = settings.schemes.map(quoted).join(', ');
  const parts = [
    ...lines(settings.values, catalog.settings()),
    `schemes = [${schemes}]`,
    `seeds = [${bareSeed(settings.seed)}]`,
    '',
    '[topology]',
    ...section(settings.topology, catalog.params('topologies', settings.topology.kind)),
  ];
  const switches = lines(settings.switches, catalog.params('sections', 'switch'));
  if (switches.length > 0) parts.push('', '[switch]', ...switches);
  const traffic =
    settings.from === 'flows'
      ? [{ name: 'flows', kind: 'flow_list', values: { file: FLOWS } }]
      : settings.traffic;
  for (const one of traffic) {
    parts.push('', `[workload.${keyOf(one.name)}]`, ...section(one, catalog.params('workloads', one.kind)));
  }
  return `${parts.join('\n')}\n`;
}

/** A text as TOML has it. JSON's escapes are TOML's. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f');
}

function section(thing: Thing, params: Param[]): string[] {
  return [`kind = ${quoted(thing.kind)}`, ...lines(thing.values, params)];
}

function lines(values: Record<string, string>, params: Param[]): string[] {
  const set = Object.entries(values).filter(([, value]) => value.trim() !== '');
  return set.map(([key, value]) => {
    const param = params.find((one) => one.name === key);
    return `${keyOf(key)} = ${valueOf(value.trim(), param)}`;
  });
}

function valueOf(value: string, param: Param | undefined): string {
  const number = param?.expected === 'a whole number' && /^(0|[1-9]\d*)$/.test(value);
  const flag = param?.expected === 'true or false' && (value === 'true' || value === 'false');
  return number || flag ? value : quoted(value);
}

function keyOf(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}

/** The seed of the run is asked for by itself; one that is none is refused there, in words. */
function bareSeed(seed: string): string {
  return /^(0|[1-9]\d*)$/.test(seed.trim()) ? seed.trim() : quoted(seed);
}
