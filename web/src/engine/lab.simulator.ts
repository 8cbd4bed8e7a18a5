/**
 * The lab's calls of the module (`crates/wasm/src/lab.rs`), as the worker uses them.
 *
 * Errors  a refusal is thrown as `Refused`. A panic is no refusal: it ends the module, and is thrown as an `Error`.
 */
import { type Done, Refused } from './api.ts';
import type { Checked, Progress, RunOptions, Simulator, Written } from './lab.protocol.ts';
import { type Answer, Engine } from './wasm.ts';

/** A new simulator of this module. */
export async function openSimulator(module: WebAssembly.Module | Uint8Array): Promise<Simulator> {
  return new ModuleSimulator(await Engine.start(module));
}

class ModuleSimulator implements Simulator {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  lists(): unknown {
    return this.#ask('lists').json;
  }

  shipped(name: string): string {
    return (this.#ask('shipped', { name }).json as { toml: string }).toml;
  }

  check(written: Written): Checked {
    return this.#ask('check', written).json as Checked;
  }

  begin(written: Written, { scheme, seed, record }: RunOptions): Progress {
    return this.#ask('begin', { ...written, scheme, seed, record }).json as Progress;
  }

  step(span: number): Progress {
    return this.#ask('step', { span }).json as Progress;
  }

  depths(): Uint32Array {
    const { bytes } = this.#ask('depths');
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }

  finish(): Done {
    const { json, bytes } = this.#ask('finish');
    return { ...(json as Omit<Done, 'recording'>), recording: bytes };
  }

  #ask(question: string, args: unknown = {}): Answer {
    try {
      return this.#engine.call(`lab.${question}`, args);
    } catch (why) {
      if (why instanceof Refused && this.#engine.hasStopped) throw new Error(why.message);
      throw why;
    }
  }
}
