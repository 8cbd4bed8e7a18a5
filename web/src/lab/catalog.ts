/**
 * What there is to choose from, as `Lab.lists()` gives it: the same list as the command's and the Python package's.
 *
 * Decision  the form is made of this list alone: keys, units, defaults and help stand nowhere else in the page.
 * Errors    a list of another form is a defect of the module, and thrown as one.
 */
export interface Param {
  name: string;
  /** What a value looks like, in words: `a rate like "1 Gbps"`, `one of a, b`. */
  expected: string;
  /** null makes it required. */
  default: string | null;
  /** The word for "without". */
  off: string | null;
  doc: string;
}

export interface Item {
  name: string;
  summary: string;
  source: string;
  params: Param[];
}

export interface Kind {
  kind: string;
  /** Where it is chosen in a scenario. */
  key: string;
  items: Item[];
}

export class Catalog {
  readonly #kinds: Map<string, Kind>;

  constructor(lists: unknown) {
    const kinds = (lists as { kinds?: unknown } | null)?.kinds;
    if (!Array.isArray(kinds)) throw new Error('the module gives no lists to choose from');
    this.#kinds = new Map((kinds as Kind[]).map((kind) => [kind.kind, kind]));
  }

  items(kind: string): Item[] {
    return this.#kinds.get(kind)?.items ?? [];
  }

  item(kind: string, name: string): Item | undefined {
    return this.items(kind).find((item) => item.name === name);
  }

  /** The parameters of one thing; none where it is unknown. */
  params(kind: string, name: string): Param[] {
    return this.item(kind, name)?.params ?? [];
  }

  /** The keys of the scenario itself that stand alone: what the form has controls of its own for is left out. */
  settings(): Param[] {
    const own = ['title', 'seeds', 'schemes'];
    return this.params('sections', 'scenario').filter((param) => !own.includes(param.name));
  }
}

export type Control = { kind: 'words'; words: string[] } | { kind: 'number' } | { kind: 'text' };

/** Which control a parameter is set by. */
export function controlOf(param: Param): Control {
  const words = param.expected.match(/^one of (.*)$/)?.[1]?.split(', ');
  const off = param.off === null ? [] : [param.off];
  if (words !== undefined) return { kind: 'words', words: [...new Set([...words, ...off])] };
  if (param.expected === 'true or false') return { kind: 'words', words: ['true', 'false'] };
  // A browser's number field takes no word for "without".
  if (param.expected === 'a whole number' && param.off === null && /^\d*$/.test(param.default ?? '')) {
    return { kind: 'number' };
  }
  return { kind: 'text' };
}
