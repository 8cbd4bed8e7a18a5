// @vitest-environment node
/**
 * The table of snippets by the page's module: `crates/cli/tests/snippets.rs` has the same by the command, and
 * `python/tests/test_snippets.py` by Python.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { Written } from '../../src/engine/lab.protocol.ts';
import { isMade, run, simulator } from './module.ts';

interface Snippet {
  name: string;
  toml?: string;
  scenario?: string;
  set: string[];
  hashes: Record<string, string>;
}

const TABLE = new URL('../../../conformance/snippets/table.toml', import.meta.url);
const snippets = parse(readFileSync(TABLE, 'utf8'))['snippet'] as unknown as Snippet[];

describe.skipIf(!isMade)('a snippet comes to its hashes in WebAssembly', () => {
  it.each(snippets)('$name', { timeout: 60_000 }, async (snippet) => {
    const module = await simulator();
    const toml = snippet.toml ?? module.shipped(snippet.scenario ?? '');
    const written: Written = { toml, files: {}, sets: snippet.set };
    const now: Record<string, string> = {};
    for (const [at, name] of Object.keys(snippet.hashes).entries()) {
      const [scheme = '', seed = ''] = name.split(' ');
      // However it is stepped, and recorded or not.
      const options = { scheme, seed, record: at % 2 === 0 };
      now[name] = run(module, written, options, [1e9, 1e15, 3.3e7][at % 3]).hash;
    }
    expect(now).toEqual(snippet.hashes);
    expect(Object.keys(now).length).toBeGreaterThan(0);
  });
});
