/**
 * The lab as the page has it: a worker owns the module, the page never waits for it.
 *
 * Decision  a worker that is broken, or that does not hear `stop` in time, is ended and made anew with the next question.
 * State     the worker, and the questions that it has not answered.
 * Units     milliseconds for waiting.
 * Errors    each question is answered or refused in words (`Refused`), also when the worker ends.
 */
import { Refused, type Done, type Lab, type Live } from './api.ts';
import type { Checked, FromWorker, RunOptions, ToWorker } from './lab.protocol.ts';

/** A run that has not heard `stop` after so long is in one long step, or still planning: its worker is ended. */
const PATIENCE = 2000;

/** What of a `Worker` is used. */
export interface Port {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
}

type Question =
  | { kind: 'lists' }
  | { kind: 'shipped'; name: string }
  | { kind: 'check'; written: { toml: string; files: Record<string, string> } }
  | { kind: 'run'; written: { toml: string; files: Record<string, string> }; options: RunOptions };

interface Pending {
  resolve(value: unknown): void;
  reject(why: Refused): void;
  live?: (live: Live) => void;
}

export class WorkerLab implements Lab {
  readonly #make: () => Port;
  readonly #module: () => Promise<WebAssembly.Module>;
  readonly #pending = new Map<number, Pending>();
  #port: Promise<Port> | undefined;
  /** The worker whose messages are heard. */
  #current: Port | undefined;
  #next = 1;
  #run: number | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;

  /** `make` starts a worker, `module` compiles the simulator: both when they are needed first. */
  constructor(make: () => Port, module: () => Promise<WebAssembly.Module>) {
    this.#make = make;
    this.#module = module;
  }

  lists(): Promise<unknown> {
    return this.#ask({ kind: 'lists' });
  }

  /** The text of a scenario that comes with Sidestep. */
  async shipped(name: string): Promise<string> {
    return (await this.#ask({ kind: 'shipped', name })) as string;
  }

  async check(toml: string, files: Record<string, string>): Promise<Checked> {
    return (await this.#ask({ kind: 'check', written: { toml, files } })) as Checked;
  }

  async run(
    toml: string,
    files: Record<string, string>,
    options: RunOptions,
    live: (live: Live) => void,
  ): Promise<Done> {
    if (this.#run !== undefined) throw new Refused('a run is under way: stop it first');
    const id = this.#next;
    this.#run = id;
    try {
      return (await this.#ask({ kind: 'run', written: { toml, files }, options }, live)) as Done;
    } finally {
      if (this.#run === id) this.#run = undefined;
      clearTimeout(this.#patience);
    }
  }

  stop(): void {
    if (this.#run === undefined) return;
    this.#current?.postMessage({ kind: 'stop' });
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => {
      this.#end('the run was stopped while it did not answer: nothing of it is kept');
    }, PATIENCE);
  }

  /** Ends the worker. */
  close(): void {
    this.#end('the lab was closed');
  }

  async #ask(question: Question, live?: (live: Live) => void): Promise<unknown> {
    const id = this.#next++;
    const asked = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, ...(live ? { live } : {}) });
    });
    // Answered through the map, also when the worker ends before the question is sent.
    const opening = this.#open();
    opening.then(
      (port) => {
        if (this.#pending.has(id)) port.postMessage({ ...question, id });
      },
      (why: unknown) => {
        if (this.#port === opening) this.#end(words(why));
      },
    );
    return asked;
  }

  #open(): Promise<Port> {
    if (this.#port !== undefined) return this.#port;
    const opening: Promise<Port> = this.#module().then((module) => {
      // It was closed while the module was compiled.
      if (this.#port !== opening) throw new Refused('the lab was closed');
      const port = this.#make();
      this.#current = port;
      port.onmessage = (event) => this.#hear(port, event.data);
      port.onerror = (event) => this.#fail(port, event.message || 'the worker does not start');
      port.onmessageerror = () => this.#fail(port, 'a message of the worker cannot be read');
      port.postMessage({ kind: 'open', module });
      return port;
    });
    this.#port = opening;
    return opening;
  }

  #hear(port: Port, message: FromWorker): void {
    if (port !== this.#current) return;
    if (message.kind === 'broken') return this.#fail(port, message.message);
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === 'live') return pending.live?.(message.live);
    this.#pending.delete(message.id);
    switch (message.kind) {
      case 'answer':
        return pending.resolve(message.value);
      case 'done':
        return pending.resolve(message.done);
      case 'refused':
        return pending.reject(new Refused(message.message, message.problems));
    }
  }

  #fail(port: Port, why: string): void {
    if (port !== this.#current) return;
    this.#end(`the simulator has ended with an error, and is started anew: ${why}`);
  }

  /** Ends the worker; what it has not answered is refused with these words. */
  #end(why: string): void {
    this.#current?.terminate();
    this.#current = undefined;
    this.#port = undefined;
    const left = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of left) pending.reject(new Refused(why));
  }
}

function words(why: unknown): string {
  const message = why instanceof Error ? why.message : String(why);
  return `the simulator cannot be started: ${message}`;
}
