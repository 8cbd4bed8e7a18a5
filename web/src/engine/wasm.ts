/**
 * The other half of `crates/wasm`: memory, calls by name, columns. One `Engine` is one instance of the module; a panic stops it.
 *
 * The module's bytes stand in the page itself: the page has no network, not even to its own file.
 */
import { Refused, type Problem } from './api.ts';

/** What `crates/wasm/src/memory.rs` exports. */
interface Exports {
  memory: WebAssembly.Memory;
  sidestep_allocate(length: number): number;
  sidestep_release(at: number, length: number): void;
  sidestep_call(
    method: number,
    methodLength: number,
    args: number,
    argsLength: number,
    bytes: number,
    bytesLength: number,
  ): number;
  sidestep_answer(): number;
  sidestep_panic(): number;
  sidestep_frame(player: number, at: number, span: number): number;
}

/** An answer: JSON, in which columns are typed arrays of their own, and the bytes that came with it. */
export interface Answer {
  json: unknown;
  bytes: Uint8Array;
}

const columns = { f64: Float64Array, u32: Uint32Array, u8: Uint8Array };

interface Column {
  $: keyof typeof columns;
  at: number;
  length: number;
}

function isColumn(value: unknown): value is Column {
  return typeof value === 'object' && value !== null && '$' in value;
}

export class Engine {
  private readonly utf8 = new TextEncoder();
  private readonly text = new TextDecoder();
  /** Why it stopped, when it has. */
  private stopped: string | undefined;

  private constructor(private readonly exports: Exports) {}

  /** A new instance of the module. `module` may be compiled once and used by many. */
  static async start(module: WebAssembly.Module | Uint8Array): Promise<Engine> {
    const compiled = module instanceof Uint8Array ? await compile(module) : module;
    const instance = await WebAssembly.instantiate(compiled, {});
    return new Engine(instance.exports as unknown as Exports);
  }

  /** Did a panic stop it? */
  get hasStopped(): boolean {
    return this.stopped !== undefined;
  }

  /** Bytes of memory that the instance has; it never shrinks. */
  get memory(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** The memory as it is now: views of it end when a call makes it larger. */
  get buffer(): ArrayBuffer {
    return this.exports.memory.buffer as ArrayBuffer;
  }

  /** Asks a question. A refusal is thrown as `Refused`. */
  call(method: string, args: unknown = {}, bytes: Uint8Array = new Uint8Array()): Answer {
    return this.guarded(() => {
      const name = this.put(this.utf8.encode(method));
      const json = this.put(this.utf8.encode(JSON.stringify(args)));
      // The module takes these.
      const taken = this.put(bytes);
      const status = this.exports.sidestep_call(...name, ...json, ...taken);
      this.exports.sidestep_release(...name);
      this.exports.sidestep_release(...json);
      if (status !== 0) throw this.refusal();
      return this.answer();
    });
  }

  /** Goes to an instant, and gives the numbers that say where its frame is (`View` in `crates/wasm/src/player.rs`). */
  frame(player: number, at: number, span: number): Uint32Array {
    return this.guarded(() => {
      const view = this.exports.sidestep_frame(player, at, span);
      if (view === 0) throw this.refusal();
      return new Uint32Array(this.buffer, view, 12);
    });
  }

  private put(bytes: Uint8Array): [number, number] {
    const at = this.exports.sidestep_allocate(bytes.length);
    new Uint8Array(this.buffer, at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  private found(at: number, length: number): Uint8Array {
    return new Uint8Array(this.buffer, at, length);
  }

  private answer(): Answer {
    const [json, jsonLength, at, length] = new Uint32Array(this.buffer, this.exports.sidestep_answer(), 4);
    // A copy: the next call writes there.
    const bytes = this.found(at ?? 0, length ?? 0).slice();
    const parsed: unknown = JSON.parse(this.text.decode(this.found(json ?? 0, jsonLength ?? 0)), (_, value: unknown) =>
      isColumn(value) ? new columns[value.$](bytes.buffer, value.at, value.length) : value,
    );
    return { json: parsed, bytes };
  }

  private refusal(): Refused {
    const { message, details } = this.answer().json as { message: string; details: Problem[] };
    return new Refused(message, details);
  }

  /** A panic stops the module; its words are told then and from then on. */
  private guarded<T>(ask: () => T): T {
    if (this.stopped !== undefined) throw new Refused(this.stopped);
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      const [at, length] = new Uint32Array(this.buffer, this.exports.sidestep_panic(), 2);
      const words = this.text.decode(this.found(at ?? 0, length ?? 0)) || error.message;
      this.stopped = `the program stopped, which is a fault of its own: ${words}`;
      throw new Refused(this.stopped);
    }
  }
}

async function compile(bytes: Uint8Array): Promise<WebAssembly.Module> {
  return WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
}

let bundled: Promise<WebAssembly.Module> | undefined;

/** The module that stands in the page, compiled once. It may be sent to a worker. */
export function bundledModule(): Promise<WebAssembly.Module> {
  bundled ??= import('./sidestep.wasm?url&inline').then(({ default: url }) => compile(decode(url)));
  return bundled;
}

/** The bytes of a `data:` address in base64. Nothing is fetched. */
export function decode(url: string): Uint8Array {
  const comma = url.indexOf(',');
  if (!url.startsWith('data:') || comma < 0 || !url.slice(0, comma).endsWith(';base64')) {
    throw new Refused(`the module is not in the page: expected it in base64, got ${url.slice(0, 40)}`);
  }
  const text = atob(url.slice(comma + 1));
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
