// @vitest-environment node
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refused, type Live } from '../../src/engine/api.ts';
import { type Port, WorkerLab } from '../../src/engine/lab.ts';
import type { FromWorker, RunOptions, ToWorker } from '../../src/engine/lab.protocol.ts';
import { LabServer, nextSpan } from '../../src/engine/lab.server.ts';
import { FakeSimulator } from './fake.ts';

const MODULE = {} as WebAssembly.Module;
const RUN: RunOptions = { scheme: 'dctcp', seed: '1', record: true };
const written = (toml: string) => ({ toml, files: {} });

/** A server on a clock of its own: a step of 1 ms of simulated time takes 4 ms. */
function server(length: number, slow = 4e-9) {
  const sent: FromWorker[] = [];
  let clock = 0;
  const simulator = new FakeSimulator(length, (span) => (clock += span * slow));
  let paused = (): void => undefined;
  const around = {
    send: (message: FromWorker) => sent.push(message),
    now: () => clock,
    pause: (ms: number) => {
      clock += ms;
      paused();
      return Promise.resolve();
    },
    open: () => Promise.resolve(simulator),
  };
  const made = new LabServer(around);
  return { sent, simulator, made, onPause: (then: () => void) => (paused = then), clock: () => clock };
}

describe('the worker', () => {
  it('runs to the end, tells how far it is thirty times a second, and steps as long as a slice', async () => {
    const { sent, simulator, made, clock } = server(2.5e11);
    await made.hear({ kind: 'open', module: MODULE });
    await made.hear({ kind: 'run', id: 4, written: written('t'), options: RUN });
    const lives = sent.filter((message) => message.kind === 'live');
    expect(sent.at(-1)).toMatchObject({ kind: 'done', id: 4, done: { summary: { interrupted: false } } });
    expect(clock()).toBeGreaterThan(990);
    expect(lives.length).toBeGreaterThan(20);
    expect(lives.length).toBeLessThan(34);
    expect(lives.at(-1)?.live.over).toBe(true);
    expect(Math.max(...simulator.steps) * 4e-9).toBeCloseTo(8, 0);
    const nows = lives.map((message) => message.live.now);
    expect(nows).toEqual([...nows].sort((a, b) => a - b));
  });

  it('is stopped in the middle and answers questions meanwhile', async () => {
    const { sent, made, onPause } = server(1e15);
    await made.hear({ kind: 'open', module: MODULE });
    let pauses = 0;
    onPause(() => {
      pauses += 1;
      if (pauses === 5) void made.hear({ kind: 'check', id: 9, written: written('t') });
      if (pauses === 20) void made.hear({ kind: 'stop' });
    });
    await made.hear({ kind: 'run', id: 4, written: written('t'), options: RUN });
    const kinds = sent.map((message) => message.kind);
    expect(kinds.indexOf('answer')).toBeGreaterThan(0);
    expect(kinds.indexOf('answer')).toBeLessThan(kinds.indexOf('done'));
    expect(sent.at(-1)).toMatchObject({ kind: 'done', done: { summary: { interrupted: true } } });
  });

  it('keeps to a pace', async () => {
    const { made, clock, simulator } = server(5e9, 0);
    await made.hear({ kind: 'open', module: MODULE });
    // 5 ms of simulated time at 2.5 ms a second.
    await made.hear({ kind: 'run', id: 1, written: written('t'), options: { ...RUN, pace: 2.5e9 } });
    expect(clock()).toBeGreaterThan(1980);
    expect(clock()).toBeLessThan(2100);
    expect(simulator.steps.length).toBeGreaterThan(50);
  });

  it('begins no second run, and is not stopped by a stop before its run', async () => {
    const { sent, made, onPause } = server(1e9);
    await made.hear({ kind: 'stop' });
    await made.hear({ kind: 'open', module: MODULE });
    let asked = false;
    onPause(() => {
      if (!asked) void made.hear({ kind: 'run', id: 2, written: written('t'), options: RUN });
      asked = true;
    });
    await made.hear({ kind: 'run', id: 1, written: written('t'), options: RUN });
    expect(sent.find((message) => message.kind === 'refused')).toMatchObject({ id: 2 });
    expect(sent.at(-1)).toMatchObject({ kind: 'done', id: 1, done: { summary: { interrupted: false } } });
  });

  it('tells what a user can mend as a refusal and a panic as its end', async () => {
    const { sent, made } = server(1);
    await made.hear({ kind: 'lists', id: 1 });
    expect(sent.pop()).toMatchObject({ kind: 'broken', message: 'the worker has no module yet' });
    await made.hear({ kind: 'open', module: MODULE });
    await made.hear({ kind: 'check', id: 2, written: written('wrong') });
    expect(sent.pop()).toMatchObject({ kind: 'refused', id: 2, message: 'wrong', problems: [{ line: 2 }] });
    await made.hear({ kind: 'shipped', id: 3, name: 'quickstart' });
    expect(sent.pop()).toMatchObject({ kind: 'answer', id: 3, value: 'duration = "1 ms"' });
    await made.hear({ kind: 'run', id: 4, written: written('panic'), options: RUN });
    expect(sent.pop()).toMatchObject({ kind: 'broken', message: 'unreachable executed' });
  });

  it('fits its steps to the time that they take', () => {
    expect(nextSpan(1000, 16)).toBe(500);
    expect(nextSpan(1000, 0)).toBe(8000);
    expect(nextSpan(1000, 0.001)).toBe(8000);
    expect(nextSpan(1, 1e9)).toBe(1);
  });
});

class FakePort implements Port {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  readonly sent: ToWorker[] = [];
  ended = false;

  postMessage(message: ToWorker): void {
    this.sent.push(message);
  }

  terminate(): void {
    this.ended = true;
  }

  say(message: FromWorker): void {
    this.onmessage?.({ data: message } as MessageEvent<FromWorker>);
  }
}

describe('the lab of the page', () => {
  let ports: FakePort[];
  let lab: WorkerLab;
  const last = () => ports.at(-1) as FakePort;
  const sent = async (kind: string): Promise<number> => {
    await vi.waitFor(() => expect(last().sent.map((message) => message.kind)).toContain(kind), 20_000);
    return (last().sent.find((message) => message.kind === kind) as { id: number }).id;
  };

  beforeEach(() => {
    ports = [];
    const make = () => {
      ports.push(new FakePort());
      return last();
    };
    lab = new WorkerLab(make, () => Promise.resolve(MODULE));
  });
  afterEach(() => vi.useRealTimers());

  it('starts one worker, hands the module over first, and brings each answer to its question', async () => {
    const one = lab.shipped('a');
    const two = lab.lists();
    const first = await sent('shipped');
    const second = await sent('lists');
    expect([ports.length, last().sent[0]]).toEqual([1, { kind: 'open', module: MODULE }]);
    last().say({ kind: 'answer', id: second, value: 'lists' });
    last().say({ kind: 'answer', id: first, value: 'text' });
    expect([await one, await two]).toEqual(['text', 'lists']);
  });

  it('hands on how far a run is, and refuses a second one', async () => {
    const seen: Live[] = [];
    const run = lab.run('t', {}, RUN, (live) => seen.push(live));
    await expect(lab.run('t', {}, RUN, () => undefined)).rejects.toThrow(/under way/);
    const id = await sent('run');
    const live = { now: 1, horizon: 2, flows_done: 0, flows_total: 1, packet_hops: 3, over: false, packets: new Uint32Array() };
    last().say({ kind: 'live', id, live });
    last().say({ kind: 'done', id, done: { scheme: 'dctcp' } as never });
    last().say({ kind: 'live', id, live });
    expect([await run, seen.length]).toEqual([{ scheme: 'dctcp' }, 1]);
    const again = lab.run('t', {}, RUN, () => undefined);
    await vi.waitFor(() => expect(last().sent.filter((message) => message.kind === 'run').length).toBe(2));
    lab.close();
    await expect(again).rejects.toThrow(/closed/);
  });

  it('makes the worker anew after a panic, and says what it was', async () => {
    const asked = [lab.lists(), lab.check('t', {})];
    await sent('check');
    const broken = last();
    broken.say({ kind: 'broken', message: 'index out of bounds' });
    for (const one of asked) await expect(one).rejects.toThrow(/started anew: index out of bounds/);
    expect(broken.ended).toBe(true);
    const later = lab.lists();
    await vi.waitFor(() => expect(ports.length).toBe(2));
    const id = await sent('lists');
    // The worker that is ended has no say any more.
    broken.say({ kind: 'answer', id, value: 'old' });
    last().say({ kind: 'answer', id, value: 'new' });
    expect(await later).toBe('new');
  });

  it('says why where the module or the worker does not start', async () => {
    const failing = new WorkerLab(() => new FakePort(), () => Promise.reject(new Error('no WebAssembly')));
    await expect(failing.lists()).rejects.toThrow(/cannot be started: no WebAssembly/);
    const asked = lab.lists();
    await sent('lists');
    last().onerror?.({ message: 'blocked' } as ErrorEvent);
    await expect(asked).rejects.toThrow(Refused);
  });

  it('hands on problems', async () => {
    const asked = lab.check('t', {});
    const id = await sent('check');
    last().say({ kind: 'refused', id, message: 'x', problems: [{ message: 'x', line: 3 }] });
    await expect(asked).rejects.toMatchObject({ message: 'x', details: [{ line: 3 }] });
  });

  it('ends a worker that does not hear a stop, and no other', async () => {
    vi.useFakeTimers();
    lab.stop();
    const run = lab.run('t', {}, RUN, () => undefined);
    const refused = expect(run).rejects.toThrow(/did not answer/);
    await vi.advanceTimersByTimeAsync(10);
    lab.stop();
    expect(last().sent.at(-1)).toEqual({ kind: 'stop' });
    await vi.advanceTimersByTimeAsync(1990);
    expect(last().ended).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    await refused;
    expect(last().ended).toBe(true);
  });
});
