/**
 * Where in the lab a problem is shown: at its field, at its line of a text, or above the form.
 *
 * Decision  a problem of the form's own scenario goes by its key, since the user does not see that text; one of a file goes
 *           by its line.
 */
import { type Problem, Refused } from '../engine/api.ts';

export interface Sorted {
  /** By dotted key: `topology.k`. */
  fields: Map<string, string[]>;
  /** By file, then by line. */
  texts: Map<string, Map<number, string[]>>;
  /** What has no place. */
  others: string[];
}

/** The name that the module gives a scenario. */
export const SCENARIO = 'scenario.toml';

/** `written` says that the user sees the scenario's text. */
export function sortProblems(problems: Problem[], written: boolean, fields: (key: string) => boolean): Sorted {
  const sorted: Sorted = { fields: new Map(), texts: new Map(), others: [] };
  for (const problem of problems) {
    const own = problem.file === undefined || problem.file === SCENARIO;
    if (own && !written) {
      const key = problem.key === undefined ? undefined : fieldOf(problem.key, problem.message, fields);
      if (key === undefined) sorted.others.push(problem.message);
      else add(sorted.fields, key, problem.message);
    } else if (problem.line !== undefined) {
      const file = problem.file ?? SCENARIO;
      const lines = sorted.texts.get(file) ?? new Map<number, string[]>();
      sorted.texts.set(file, lines);
      add(lines, problem.line, problem.message);
    } else {
      sorted.others.push(own ? problem.message : `${problem.file}: ${problem.message}`);
    }
  }
  return sorted;
}

/** The key, or the nearest above it that has a field; of a whole section the parameter that its message begins with. */
function fieldOf(key: string, message: string, fields: (key: string) => boolean): string | undefined {
  const said = message.startsWith(`${key}: `) ? message.slice(key.length + 2) : message;
  const param = `${key}.${/^\w*/.exec(said)?.[0] ?? ''}`;
  if (fields(param)) return param;
  for (let at = key; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
    if (fields(at)) return at;
  }
  return undefined;
}

function add<K>(to: Map<K, string[]>, key: K, message: string): void {
  const there = to.get(key);
  if (there === undefined) to.set(key, [message]);
  else there.push(message);
}

/** Problems of what was thrown; words alone where there are none. */
export function problemsOf(why: unknown): Problem[] {
  if (why instanceof Refused && why.details.length > 0) return why.details;
  return [{ message: why instanceof Error ? why.message : String(why) }];
}
