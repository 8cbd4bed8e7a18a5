// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { Refused } from '../../src/engine/api.ts';
import { Catalog, controlOf, type Param } from '../../src/lab/catalog.ts';
import { figures, isInterrupted } from '../../src/lab/figures.ts';
import { problemsOf, sortProblems } from '../../src/lab/problems.ts';
import { chosenSchemes, paceOf, Runs } from '../../src/lab/runs.ts';
import { FLOWS, freeName, standard } from '../../src/lab/settings.ts';
import { quoted, scenarioOf, tomlOf } from '../../src/lab/toml.ts';
import { done, FakeRunner, LISTS, NETWORK } from './fake.ts';

const catalog = new Catalog(LISTS);

describe('the scenario of the form', () => {
  it('is what a user would write', () => {
    const settings = { ...standard(), switches: { capacity: '50 pkt', pfc: 'true' } };
    expect(tomlOf(settings, catalog).trim().split('\n')).toEqual([
      'duration = "1 ms"',
      'schemes = ["dctcp", "dibs"]',
      'seeds = [1]',
      '',
      '[topology]',
      'kind = "fat_tree"',
      'k = 4',
      '',
      '[switch]',
      'capacity = "50 pkt"',
      'pfc = true',
      '',
      '[workload.query]',
      'kind = "incast"',
      'degree = 15',
      'flows = 4',
      'size = "10 kB"',
    ]);
  });

  it('leaves out what is empty and quotes what is no number', () => {
    const settings = standard();
    settings.topology.values = { k: ' 0x4 ', rate: '', cores: 'all' };
    const toml = tomlOf(settings, catalog);
    expect(toml).toContain('k = "0x4"');
    expect(toml).toContain('cores = "all"');
    expect(toml).not.toContain('rate');
  });

  it('lets nobody write a section through a value', () => {
    const settings = standard();
    settings.seed = '1]\n[scheme.x]';
    settings.traffic = [{ name: 'a]\n[b', kind: 'x"\n', values: { 'k = 1\n': '"\u007f' } }];
    const lines = tomlOf(settings, catalog).split('\n');
    expect(lines.filter((line) => line.startsWith('['))).toEqual(['[topology]', '[workload."a]\\n[b"]']);
    expect(quoted('\u007f"')).toBe('"\\u007f\\""');
  });

  it('takes a list of flows instead of its traffic', () => {
    const settings = { ...standard(), from: 'flows' as const, files: { [FLOWS]: 'start_us,src\n' } };
    const made = scenarioOf(settings, catalog);
    expect(made.toml).toContain('[workload.flows]\nkind = "flow_list"\nfile = "flows.csv"');
    expect(made.toml).not.toContain('incast');
    expect(made.files).toEqual({ [FLOWS]: 'start_us,src\n' });
  });

  it('is the text where there is one', () => {
    const settings = { ...standard(), from: 'text' as const, text: 'x = 1' };
    expect(scenarioOf(settings, catalog)).toEqual({ toml: 'x = 1', files: {} });
  });
});

describe('the lists', () => {
  it('give each parameter its control', () => {
    const of = (kind: string, name: string, key: string) => {
      const param = catalog.params(kind, name).find((one) => one.name === key);
      return controlOf(param as Param);
    };
    expect(of('topologies', 'fat_tree', 'k')).toEqual({ kind: 'number' });
    expect(of('topologies', 'fat_tree', 'cores')).toEqual({ kind: 'text' });
    expect(of('topologies', 'fat_tree', 'rate')).toEqual({ kind: 'text' });
    const orNone = { name: 'n', expected: 'a whole number', default: '4', off: 'none', doc: '' };
    expect([controlOf(orNone), controlOf({ ...orNone, off: null })]).toEqual([{ kind: 'text' }, { kind: 'number' }]);
    expect(of('workloads', 'incast', 'senders')).toEqual({ kind: 'words', words: ['random', 'spread', 'first'] });
    expect(of('sections', 'switch', 'pfc')).toEqual({ kind: 'words', words: ['true', 'false'] });
  });

  it('of another form are refused', () => {
    expect(() => new Catalog({ kind: 3 })).toThrow(/no lists/);
    expect(catalog.settings().map((param) => param.name)).toEqual(['duration']);
    expect(catalog.params('topologies', 'gadget')).toEqual([]);
  });

  it('name traffic that is added as no other', () => {
    const traffic = [{ name: 'incast', kind: 'incast', values: {} }];
    expect(freeName(traffic, 'query')).toBe('query');
    expect(freeName(traffic, 'incast')).toBe('incast-2');
  });
});

describe('problems', () => {
  const fields = (key: string) => ['topology.k', 'workload.query.degree', 'topology'].includes(key);

  it('of the form stand at its fields', () => {
    const sorted = sortProblems(
      [
        { message: 'k is odd', file: 'scenario.toml', line: 7, key: 'topology.k' },
        { message: 'no such key', file: 'scenario.toml', line: 8, key: 'topology.kk' },
        { message: 'topology: k must be even, got 5', file: 'scenario.toml', line: 5, key: 'topology' },
        { message: 'no place' },
        { message: 'row', file: FLOWS, line: 3 },
      ],
      false,
      fields,
    );
    expect([...sorted.fields]).toEqual([
      ['topology.k', ['k is odd', 'topology: k must be even, got 5']],
      ['topology', ['no such key']],
    ]);
    expect(sorted.others).toEqual(['no place']);
    expect(sorted.texts.get(FLOWS)?.get(3)).toEqual(['row']);
  });

  it('of a text stand at its lines', () => {
    const one = { message: 'a', file: 'scenario.toml', line: 2, key: 'topology.k' };
    const sorted = sortProblems([one, { ...one, message: 'b' }], true, fields);
    expect(sorted.texts.get('scenario.toml')?.get(2)).toEqual(['a', 'b']);
    expect(sorted.fields.size).toBe(0);
  });

  it('are found in whatever is thrown', () => {
    expect(problemsOf(new Refused('x', [{ message: 'y' }]))).toEqual([{ message: 'y' }]);
    expect(problemsOf(new Error('x'))).toEqual([{ message: 'x' }]);
    expect(problemsOf('x')).toEqual([{ message: 'x' }]);
  });
});

describe('runs', () => {
  const scenario = { toml: 't', files: {} };
  const checked = { schemes: ['dctcp', 'dibs'], network: NETWORK, warnings: [] };
  const watch = { begin: () => undefined, live: () => undefined };

  it('follow each other with the same seed and hand on what happens', async () => {
    const runner = new FakeRunner();
    const seen: unknown[] = [];
    const made = await new Runs(runner).run(scenario, checked, ['dctcp', 'dibs'], { seed: '7', record: true }, {
      begin: (number) => seen.push(number),
      live: (live, network) => seen.push([live.now, network]),
    });
    expect(seen).toEqual([0, [1, NETWORK], 1, [1, NETWORK]]);
    expect(made.map((one) => [one.name, one.scheme, one.seed])).toEqual([
      ['dctcp, seed 7', 'dctcp', '7'],
      ['dibs, seed 7', 'dibs', '7'],
    ]);
    expect(made[0]?.bytes).toBe(made[0]?.done.recording);
  });

  it('that are stopped keep the one under way and begin no other', async () => {
    const runner = new FakeRunner();
    const runs = new Runs(runner);
    runner.during = () => runs.stop();
    const made = await runs.run(scenario, checked, ['dctcp', 'dibs'], { seed: '7', record: true }, watch);
    expect([made.length, runner.runs.length, runner.stops]).toEqual([1, 1, 1]);
  });

  it('are of schemes that the scenario has', () => {
    expect(chosenSchemes(['dibs'], ['dctcp', 'dibs', 'x'])).toEqual(['dibs']);
    expect(chosenSchemes(['gone'], ['a', 'b', 'c'])).toEqual(['a', 'b']);
    expect(chosenSchemes(['a', 'a'], ['a', 'b'])).toEqual(['a']);
  });

  it('have a pace where one is written', () => {
    expect(paceOf('500')).toBe(500e6);
    expect([paceOf(''), paceOf('x'), paceOf('-1'), paceOf('0')]).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('figures', () => {
  it('stand beside each other, and rows of nothing are left out', () => {
    const times = { p50: 1.23456, max: 9, max_at_least: true };
    const a = done('a', '1', { qct_ms: times, drops: { full: 2, ttl: 1 }, packet_hops: 12345 });
    const b = done('b', '1', { drops: { full: 0 }, interrupted: true });
    const rows = new Map(figures([a, b]).map((row) => [row.name, row.cells]));
    expect(rows.get('query completion, median (ms)')).toEqual(['1.23', '–']);
    expect(rows.get('query completion, slowest (ms)')).toEqual(['≥ 9', '–']);
    expect(rows.get('packets dropped')).toEqual(['3', '0']);
    expect(rows.get('packet-hops')).toEqual(['12,345', '–']);
    expect(rows.has('timeouts')).toBe(false);
    expect([isInterrupted(a), isInterrupted(b)]).toEqual([false, true]);
  });
});
