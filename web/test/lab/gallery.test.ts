// @vitest-environment node
/** Each story shows what it says: run here by the page's module, whose hashes are the command's. */
import { describe, expect, it } from 'vitest';
import { Catalog } from '../../src/lab/catalog.ts';
import { STORIES } from '../../src/lab/gallery.ts';
import { chosenSchemes } from '../../src/lab/runs.ts';
import { settingsFrom, fragmentOf } from '../../src/lab/share.ts';
import { scenarioOf } from '../../src/lab/toml.ts';
import { isMade, run, simulator } from './module.ts';

interface Times {
  p50: number;
  max: number;
  mean: number;
  completed_share: number;
}

interface Summary {
  qct_ms: Times;
  fct_all_ms: Times;
  drops: Record<string, number>;
  detours: number;
  marks: number;
  timeouts: number;
  packet_hops: number;
}

/** The summaries of a story's schemes, in order, run as its link says. */
async function told(id: string): Promise<[Summary, Summary]> {
  const module = await simulator();
  const story = STORIES.find((one) => one.id === id);
  if (story === undefined) throw new Error(`no story is called ${id}`);
  const settings = await settingsFrom(await fragmentOf(story.settings));
  const scenario = scenarioOf(settings, new Catalog(module.lists()));
  const checked = module.check(scenario);
  const runs = chosenSchemes(settings.schemes, checked.schemes).map((scheme) => {
    const done = run(module, scenario, { scheme, seed: settings.seed, record: true });
    expect(done.recording.length).toBeGreaterThan(1000);
    return done.summary as Summary;
  });
  for (const summary of runs) {
    expect(summary.packet_hops).toBeLessThan(300_000);
    expect(summary.fct_all_ms.completed_share).toBe(1);
  }
  return [runs[0] as Summary, runs[1] as Summary];
}

const drops = (of: Summary) => Object.values(of.drops).reduce((a, b) => a + b, 0);

describe('the gallery', () => {
  it('has six stories of two sentences', () => {
    expect(new Set(STORIES.map((story) => story.id)).size).toBe(6);
    for (const { text } of STORIES) expect(text.match(/[.?!](\s|$)/g)?.length, text).toBe(2);
  });
});

describe.skipIf(!isMade)('a story', { timeout: 60_000 }, () => {
  it('shows an incast that overflows a port', async () => {
    const [dctcp] = await told('overflow');
    expect(drops(dctcp)).toBe(28);
    expect(dctcp.timeouts).toBeGreaterThan(0);
    // Fifteen answers of 30 kB take 3.8 ms on the last link.
    expect(dctcp.qct_ms.max).toBeGreaterThan(3 * 3.8);
  });

  it('shows a detour that saves it', async () => {
    const [dctcp, dibs] = await told('detour');
    expect([drops(dibs), dibs.timeouts]).toEqual([0, 0]);
    expect(dibs.detours).toBe(65);
    expect(dibs.qct_ms.max).toBeLessThan(4);
    expect(dctcp.qct_ms.max).toBeGreaterThan(3 * dibs.qct_ms.max);
  });

  it('shows where detouring collapses', async () => {
    const [dctcp, dibs] = await told('collapse');
    expect(dibs.qct_ms.p50).toBeGreaterThan(1.3 * dctcp.qct_ms.p50);
    expect(dibs.qct_ms.max).toBeGreaterThan(1.2 * dctcp.qct_ms.max);
    expect(drops(dibs)).toBeGreaterThan(1000);
    expect(dibs.detours).toBeGreaterThan(10_000);
  });

  it('shows what Vertigo does instead', async () => {
    const [dibs, vertigo] = await told('vertigo');
    expect(vertigo.qct_ms.p50).toBeLessThan(0.35 * dibs.qct_ms.p50);
    expect(vertigo.detours).toBeGreaterThan(0);
  });

  it('shows why spraying evens queues', async () => {
    const [ecmp, spray] = await told('spray');
    expect(ecmp.marks).toBeGreaterThan(20 * spray.marks);
    expect([drops(ecmp), drops(spray)]).toEqual([0, 0]);
    expect(spray.fct_all_ms.max).toBeLessThan(1.2 * spray.fct_all_ms.p50);
    expect(ecmp.fct_all_ms.max).toBeGreaterThan(2 * spray.fct_all_ms.max);
  });

  it('shows short and long flows apart', async () => {
    const [one, two] = await told('apart');
    expect(two.fct_all_ms.max).toBeLessThan(one.fct_all_ms.max / 10);
    expect(drops(two)).toBeLessThan(drops(one) / 4);
    expect([one.timeouts > 0, two.timeouts]).toEqual([true, 0]);
  });
});
