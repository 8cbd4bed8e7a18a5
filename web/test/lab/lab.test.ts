/** The lab as a user meets it, on a simulator whose answers the test chooses. */
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refused } from '../../src/engine/api.ts';
import Lab from '../../src/lab/Lab.svelte';
import type { Recording } from '../../src/lab/runs.ts';
import { FLOWS, standard } from '../../src/lab/settings.ts';
import { fragmentOf } from '../../src/lab/share.ts';
import { FakeRunner, NETWORK } from './fake.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Waits until it holds; long, for machines that do other things as well. */
const soon = <T>(holds: () => T | Promise<T>) => vi.waitFor(holds, { timeout: 20_000, interval: 20 });

let runner: FakeRunner;
let lab: ReturnType<typeof mount> | undefined;
const made: Recording[][] = [];
const lives: unknown[] = [];

/** The control that has this label. */
function labelled(name: string | RegExp): HTMLInputElement {
  for (const label of document.querySelectorAll('label')) {
    const text = (label.textContent ?? '').trim();
    if (typeof name === 'string' ? text !== name : !name.test(text)) continue;
    const own = label.htmlFor ? document.getElementById(label.htmlFor) : label.querySelector('input');
    if (own) return own as HTMLInputElement;
  }
  throw new Error(`no control is labelled ${name}`);
}

function button(name: string): HTMLButtonElement {
  const found = [...document.querySelectorAll('button')].find((one) => one.textContent?.trim() === name);
  if (!found) throw new Error(`no button says ${name}`);
  return found;
}

function type(control: HTMLInputElement, value: string): void {
  control.value = value;
  control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
  flushSync();
}

async function open(hash = ''): Promise<void> {
  location.hash = hash;
  const hearers = {
    onlive: (live: unknown, network: unknown) => lives.push([live, network]),
    ondone: (recordings: Recording[]) => made.push(recordings),
  };
  lab = mount(Lab, { target: document.body, props: { runner, ...hearers } });
  await soon(() => expect(document.querySelector('button.run')).not.toBeNull());
}

const checks = () => soon(() => expect(runner.checked.length).toBeGreaterThan(0));
const page = () => document.body.textContent ?? '';

beforeEach(() => {
  runner = new FakeRunner();
  made.length = 0;
  lives.length = 0;
});

afterEach(async () => {
  if (lab) await unmount(lab);
  lab = undefined;
  location.hash = '';
  document.body.innerHTML = '';
});

describe('the lab', () => {
  it('runs two schemes on the same seed and hands on what they came to', async () => {
    await open();
    type(labelled('Seed'), '7');
    button('Run').click();
    await soon(() => expect(made.length).toBe(1));
    expect(runner.runs.map((one) => [one.options.scheme, one.options.seed, one.options.record])).toEqual([
      ['dctcp', '7', true],
      ['dibs', '7', true],
    ]);
    expect(made[0]?.map((one) => one.scheme)).toEqual(['dctcp', 'dibs']);
    expect(lives.length).toBe(2);
    expect((lives[0] as unknown[])[1]).toBe(NETWORK);
    flushSync();
    const cells = (row: Element) => [...row.children].map((cell) => cell.textContent?.trim()).join(' ');
    expect([...document.querySelectorAll('tbody tr')].map(cells)).toContain('packets dropped 2 2');
    expect(document.querySelector('[role=status]')?.textContent).toMatch(/Over: dctcp and dibs/);
  });

  it('has a label for every control, and help at every parameter', async () => {
    await open();
    const controls = [...document.querySelectorAll('input, select, textarea')] as HTMLInputElement[];
    expect(controls.length).toBeGreaterThan(12);
    for (const control of controls) expect(control.labels?.length, control.outerHTML).toBeGreaterThan(0);
    const described = document.getElementById(labelled('k').getAttribute('aria-describedby') ?? '');
    expect(described?.textContent).toBe('ports of every switch (a whole number)');
  });

  it('checks what is changed, once it rests, and shows what is wrong at its field', async () => {
    await open();
    await checks();
    const before = runner.checked.length;
    runner.problems = new Refused('k', [{ message: 'k must be even, got 5', file: 'scenario.toml', line: 6, key: 'topology.k' }]);
    for (const value of ['', '5']) type(labelled('k'), value);
    await soon(() => expect(page()).toContain('✕ k must be even, got 5'));
    expect(runner.checked.length).toBe(before + 1);
    expect(runner.checked.at(-1)?.toml).toContain('k = 5');
    expect(labelled('k').getAttribute('aria-invalid')).toBe('true');
    button('Run').click();
    await soon(() => expect(page()).toContain('Nothing runs'));
    expect(runner.runs.length).toBe(0);
  });

  it('stops a run in the middle and runs no other', async () => {
    await open();
    let go = (): void => undefined;
    runner.during = () => new Promise<void>((resolve) => (go = resolve));
    button('Run').click();
    await soon(() => expect(button('Stop').disabled).toBe(false));
    await soon(() => expect(runner.runs.length).toBe(1));
    expect(button('Run').disabled).toBe(true);
    expect(document.querySelector('progress')?.getAttribute('aria-label')).toBe('how far dctcp is');
    button('Stop').click();
    expect(runner.stops).toBe(1);
    go();
    await soon(() => expect(button('Run').disabled).toBe(false));
    expect([runner.runs.length, made.length]).toEqual([1, 1]);
  });

  it('stops before a run has begun', async () => {
    await open();
    await checks();
    let go = (): void => undefined;
    const answer = runner.answer;
    runner.check = () => new Promise((resolve) => (go = () => resolve(answer)));
    button('Run').click();
    await soon(() => expect(button('Stop').disabled).toBe(false));
    button('Stop').click();
    go();
    await soon(() => expect(page()).toContain('Stopped.'));
    expect(runner.runs.length).toBe(0);
  });

  it('says why a run failed, and can run again', async () => {
    await open();
    runner.failure = new Refused('the simulator has ended with an error, and is started anew: boom');
    button('Run').click();
    await soon(() => expect(page()).toContain('started anew: boom'));
    runner.failure = undefined;
    button('Run').click();
    await soon(() => expect(made.length).toBe(1));
    expect(page()).not.toContain('boom');
  });

  it('is a text as well, which begins as what the form means, with problems at its lines', async () => {
    await open();
    runner.problems = new Refused('x', [{ message: 'kind is unknown', file: 'scenario.toml', line: 2, column: 1 }]);
    labelled('As text (TOML)').click();
    flushSync();
    expect(labelled('Scenario').value).toContain('kind = "fat_tree"');
    await soon(() => expect(button('line 2')).toBeTruthy());
    expect(page()).toContain('✕ kind is unknown');
    expect(document.querySelector('.gutter')?.textContent).toContain('✕ 2');
    button('line 2').click();
    const area = labelled('Scenario') as unknown as HTMLTextAreaElement;
    expect(area.value.slice(0, area.selectionStart).split('\n').length).toBe(2);
  });

  it('takes flows as CSV, pasted or dropped', async () => {
    await open();
    labelled('Flows as CSV').click();
    flushSync();
    const rows = 'start_us,src,dst,size_bytes\n1,0,3,1000\n';
    type(labelled(`Flows (${FLOWS})`), rows);
    await soon(() => expect(runner.checked.at(-1)?.files).toEqual({ [FLOWS]: rows }));
    expect(runner.checked.at(-1)?.toml).toContain('kind = "flow_list"');
    const drop = new Event('drop', { bubbles: true, cancelable: true });
    const file = { name: 'a.csv', size: 3, text: () => Promise.resolve('a,b') };
    Object.assign(drop, { dataTransfer: { files: [file] } });
    labelled(`Flows (${FLOWS})`).dispatchEvent(drop);
    await soon(() => expect(labelled(`Flows (${FLOWS})`).value).toBe('a,b'));
  });

  it('opens what a link says, and runs it by itself where it is small', async () => {
    const settings = { ...standard(), seed: '99', schemes: ['dibs'] };
    runner.answer = { ...runner.answer, estimate: { flows: 1, packet_hops: 1000, peak_bytes: 1 } };
    await open(await fragmentOf(settings));
    await soon(() => expect(made.length).toBe(1));
    expect(runner.runs.map((one) => [one.options.scheme, one.options.seed])).toEqual([['dibs', '99']]);
    expect(labelled('Seed').value).toBe('99');
  });

  it('opens a link once more when it is chosen once more', async () => {
    await open();
    const link = await soon(() => {
      const found = document.querySelector<HTMLAnchorElement>('a[href^="#lab="]');
      expect(found).not.toBeNull();
      return found as HTMLAnchorElement;
    });
    link.click();
    await soon(() => expect(labelled('size').value).toBe('30 kB'));
    type(labelled('size'), '1 kB');
    link.click();
    await soon(() => expect(labelled('size').value).toBe('30 kB'));
  });

  it('opens a link in the middle of a run, which is stopped', async () => {
    runner.answer = { ...runner.answer, estimate: { flows: 1, packet_hops: 1000, peak_bytes: 1 } };
    await open();
    let go = (): void => undefined;
    runner.during = () => new Promise<void>((resolve) => (go = resolve));
    button('Run').click();
    await soon(() => expect(runner.runs.length).toBe(1));
    location.hash = await fragmentOf({ ...standard(), seed: '55' });
    await soon(() => expect(runner.stops).toBe(1));
    runner.during = () => undefined;
    go();
    await soon(() => expect(made.length).toBe(2));
    expect(runner.runs.map((one) => one.options.seed)).toEqual(['1', '55', '55']);
  });

  it('opens what a link says and does not run it where it is large', async () => {
    runner.answer = { ...runner.answer, estimate: { flows: 1, packet_hops: 1e9, peak_bytes: 1 } };
    await open(await fragmentOf({ ...standard(), seed: '98' }));
    await soon(() => expect(labelled('Seed').value).toBe('98'));
    await checks();
    expect(runner.runs.length).toBe(0);
  });

  it('says what is wrong with a link and stays usable', async () => {
    await open('#lab=%%%');
    await soon(() => expect(page()).toContain('the link is broken'));
    expect(button('Run').disabled).toBe(false);
  });

  it('makes a link that brings its settings back', async () => {
    await open();
    type(labelled('Seed'), '1234');
    button('Link to these settings').click();
    await soon(() => expect(location.hash).toMatch(/^#lab=/));
    await soon(() => expect(labelled(/^Link to these settings, /).value).toContain('#lab='));
    expect(location.hash).toBe(await fragmentOf({ ...standard(), seed: '1234' }));
  });

  it('adds and removes traffic', async () => {
    await open();
    button('Add traffic').click();
    flushSync();
    expect(labelled('Kind of background').value).toBe('background');
    await soon(() => expect(runner.checked.at(-1)?.toml).toContain('[workload.background]'));
    button('Remove background').click();
    await soon(() => expect(runner.checked.at(-1)?.toml).not.toContain('[workload.background]'));
  });

  it('leaves no listener behind', async () => {
    const added = vi.spyOn(globalThis, 'addEventListener');
    const removed = vi.spyOn(globalThis, 'removeEventListener');
    await open();
    const mine = added.mock.calls.filter(([name]) => name === 'hashchange').length;
    if (lab) await unmount(lab);
    lab = undefined;
    expect(removed.mock.calls.filter(([name]) => name === 'hashchange').length).toBe(mine);
    vi.restoreAllMocks();
  });
});
