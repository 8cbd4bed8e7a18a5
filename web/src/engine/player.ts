/**
 * `Player` by the WebAssembly module: `openPlayer(bytes)` gives one for a recording. Recordings share one instance of the module until a
 * panic stops it; the next one that is opened gets a new one.
 */
import type {
  Breakdown,
  Completions,
  FlowSeries,
  Frame,
  Happening,
  Head,
  Journey,
  Player,
  Ps,
  QueueSeries,
  Tail,
  Waiting,
} from './api.ts';
import { Refused } from './api.ts';
import { bundledModule, Engine } from './wasm.ts';

let shared: Promise<Engine> | undefined;

/** Opens a recording. What is no recording, not whole, or newer is refused in words. `engine`: another instance than the page's. */
export async function openPlayer(file: Uint8Array, engine?: Engine): Promise<Player> {
  if (engine !== undefined) return new Opened(engine, file);
  shared ??= bundledModule().then((module) => Engine.start(module));
  const instance = await shared;
  if (instance.hasStopped) {
    shared = undefined;
    return openPlayer(file);
  }
  return new Opened(instance, file);
}

class Opened implements Player {
  readonly head: Head;
  readonly tail: Tail;
  readonly bytes: number;
  private readonly number: number;
  private readonly last: Frame;
  /** The memory and the places that `last` was made for. */
  private buffer: ArrayBuffer | undefined;
  private readonly places = new Uint32Array(12);
  private open = true;

  constructor(
    private readonly engine: Engine,
    file: Uint8Array,
  ) {
    const { json } = engine.call('player.open', {}, file);
    const opened = json as { player: number; head: Head; tail: Tail; bytes: number };
    this.number = opened.player;
    this.head = opened.head;
    this.tail = opened.tail;
    this.bytes = opened.bytes;
    this.last = {
      at: 0,
      packets: new Uint32Array(),
      bytes: new Float64Array(),
      use: new Float32Array(),
      detours: new Uint32Array(),
      drops: new Uint32Array(),
      moving: 0,
      packet: new Uint32Array(),
      port: new Uint32Array(),
      progress: new Float32Array(),
      flags: new Uint8Array(),
      flow: new Uint32Array(),
    };
  }

  memory(): number {
    return this.ask<number>('memory');
  }

  frame(at: Ps, span: Ps): Frame {
    this.check();
    const places = this.engine.frame(this.number, at, span);
    const { last } = this;
    last.at = at;
    last.moving = places[1] ?? 0;
    // Views are made anew only where something moved, so that playing leaves nothing behind.
    if (this.buffer !== this.engine.buffer || places.some((place, i) => i !== 1 && place !== this.places[i])) {
      this.look(places);
    } else if (last.moving > last.packet.length) {
      this.look(places);
    }
    return last;
  }

  private look(places: Uint32Array): void {
    const [ports = 0, moving = 0, packets, bytes, use, detours, drops, packet, port, progress, flags, flow] = places;
    const { last } = this;
    const { buffer } = this.engine;
    last.packets = new Uint32Array(buffer, packets, ports);
    last.bytes = new Float64Array(buffer, bytes, ports);
    last.use = new Float32Array(buffer, use, ports);
    last.detours = new Uint32Array(buffer, detours, ports);
    last.drops = new Uint32Array(buffer, drops, ports);
    last.packet = new Uint32Array(buffer, packet, moving);
    last.port = new Uint32Array(buffer, port, moving);
    last.progress = new Float32Array(buffer, progress, moving);
    last.flags = new Uint8Array(buffer, flags, moving);
    last.flow = new Uint32Array(buffer, flow, moving);
    this.buffer = buffer;
    this.places.set(places);
  }

  next(at: Ps, port?: number): Ps | null {
    return this.ask('next', { at, port });
  }

  previous(at: Ps, port?: number): Ps | null {
    return this.ask('previous', { at, port });
  }

  waiting(at: Ps, port: number): Waiting[] {
    return this.ask('waiting', { at, port });
  }

  happenings(
    from: Ps,
    to: Ps,
    most: number,
    only: { port?: number; packet?: number; flow?: number; node?: number; kinds?: string[] } = {},
  ): Happening[] {
    return this.ask('happenings', { from, to, most, only });
  }

  journey(packet: number): Journey {
    return this.ask('journey', { id: packet });
  }

  queues(node: number, from: Ps, to: Ps, buckets: number): QueueSeries {
    return this.ask('queues', { id: node, from, to, buckets });
  }

  flow(id: number): FlowSeries {
    return this.ask('flow', { id });
  }

  query(id: number): Breakdown {
    return this.ask('query', { id });
  }

  completions(): Completions {
    return this.ask('completions');
  }

  close(): void {
    if (!this.open) return;
    this.ask('close');
    this.open = false;
  }

  private ask<T>(question: string, args: object = {}): T {
    this.check();
    return this.engine.call(`player.${question}`, { player: this.number, ...args }).json as T;
  }

  private check(): void {
    if (!this.open) throw new Refused('the recording was closed');
  }
}
