/**
 * The worker's side of the lab: answers questions, and steps one run at a time.
 *
 * Decision  a step takes some `SLICE` of real time: its span of simulated time is fitted to what the last one took. Between
 *           steps the worker hears messages, so that `stop` ends a run in the middle; the outcome does not depend on the steps.
 * State     the module, the run under way.
 * Units     milliseconds of the clock that is given; picoseconds of simulated time.
 * Errors    a refusal is an answer; anything else is told as `broken`, and the page makes another worker.
 */
import { Refused, type Ps } from './api.ts';
import type { FromWorker, RunOptions, Simulator, ToWorker, Written } from './lab.protocol.ts';

/** So long a step should take. */
const SLICE = 8;
/** Between two messages of how far a run is. */
const FRAME = 1000 / 30;
/** The first step: short beside what any network does in a slice. */
const FIRST_SPAN: Ps = 1e6;
/** How much longer than the last a step may be. */
const GROWTH = 8;

/** What the server needs from where it runs. */
export interface Surroundings {
  send(message: FromWorker, transfer: Transferable[]): void;
  /** Milliseconds that never fall. */
  now(): number;
  /** Lets messages in, after so many milliseconds at the earliest. */
  pause(ms: number): Promise<void>;
  open(module: WebAssembly.Module): Promise<Simulator>;
}

/** The span of the next step, after one of `span` took `took` ms. */
export function nextSpan(span: Ps, took: number): Ps {
  const fitted = took > 0 ? span * (SLICE / took) : span * GROWTH;
  return Math.max(1, Math.floor(Math.min(fitted, span * GROWTH)));
}

export class LabServer {
  #simulator: Promise<Simulator> | undefined;
  #running = false;
  #stopped = false;
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Takes one message. Never rejects: what goes wrong is sent. */
  async hear(message: ToWorker): Promise<void> {
    if (message.kind === 'stop') {
      this.#stopped = this.#running;
      return;
    }
    if (message.kind === 'open') {
      this.#simulator = this.#around.open(message.module);
      await this.#simulator.catch((why: unknown) => this.#broken(why));
      return;
    }
    try {
      if (this.#simulator === undefined) throw new Error('the worker has no module yet');
      const simulator = await this.#simulator;
      if (message.kind === 'run') await this.#run(simulator, message.id, message.written, message.options);
      else this.#around.send({ kind: 'answer', id: message.id, value: answer(simulator, message) }, []);
    } catch (why) {
      if (why instanceof Refused) {
        this.#around.send({ kind: 'refused', id: message.id, message: why.message, problems: why.details }, []);
      } else {
        this.#broken(why);
      }
    }
  }

  #broken(why: unknown): void {
    const message = why instanceof Error ? why.message : String(why);
    this.#around.send({ kind: 'broken', message }, []);
  }

  async #run(simulator: Simulator, id: number, written: Written, options: RunOptions): Promise<void> {
    if (this.#running) throw new Refused('a run is under way: stop it first');
    this.#running = true;
    this.#stopped = false;
    try {
      let progress = simulator.begin(written, options);
      await this.#around.pause(0);
      const began = this.#around.now();
      let span = FIRST_SPAN;
      let shown = -Infinity;
      while (!progress.over && !this.#stopped) {
        const before = this.#around.now();
        // At a pace a run goes to where it should be by now, if it can.
        const due = options.pace === undefined ? Infinity : (options.pace * (before - began)) / 1000 - progress.now;
        if (due >= 1) {
          const step = Math.min(span, Math.floor(due));
          progress = simulator.step(step);
          const took = this.#around.now() - before;
          // A short step of a paced run says little of how long one may be.
          span = step === span || took > SLICE ? nextSpan(step, took) : span;
        }
        if (this.#around.now() - shown >= FRAME) {
          shown = this.#around.now();
          this.#tell(id, simulator, progress);
        }
        await this.#around.pause(due < span ? FRAME / 2 : 0);
      }
      this.#tell(id, simulator, progress);
      const done = simulator.finish();
      this.#around.send({ kind: 'done', id, done }, [done.recording.buffer as ArrayBuffer]);
    } finally {
      this.#running = false;
    }
  }

  #tell(id: number, simulator: Simulator, progress: ReturnType<Simulator['step']>): void {
    const packets = simulator.depths();
    this.#around.send({ kind: 'live', id, live: { ...progress, packets } }, [packets.buffer as ArrayBuffer]);
  }
}

function answer(simulator: Simulator, message: Exclude<ToWorker, { kind: 'open' | 'run' | 'stop' }>): unknown {
  switch (message.kind) {
    case 'lists':
      return simulator.lists();
    case 'shipped':
      return simulator.shipped(message.name);
    case 'check':
      return simulator.check(message.written);
  }
}
