/**
 * What the page and the worker of the lab say to each other.
 *
 * Decision  every question has a number, which its answer carries; a run tells how far it is between. `broken` is the last
 *           word of a worker: its module has panicked, and the page makes another.
 * Units     picoseconds of simulated time; `pace` is picoseconds of it a second.
 */
import type { Done, Live, Network, Problem, Ps } from './api.ts';

/** A scenario, and what it names: texts by path. */
export interface Written {
  toml: string;
  files: Record<string, string>;
  /** Changes of it, `key=value` each, as the command's `--set`. */
  sets?: string[];
}

export interface RunOptions {
  scheme: string;
  seed: string;
  record: boolean;
  /** Runs no faster than so many picoseconds a second, to be watched; as fast as it can without. */
  pace?: Ps;
}

/** What a scenario means before it runs. */
export interface Checked {
  schemes: string[];
  network: Network;
  warnings: string[];
  estimate?: { flows: number; packet_hops: number; peak_bytes: number };
}

/** How far a run is. */
export type Progress = Omit<Live, 'packets'>;

export type ToWorker =
  | { kind: 'open'; module: WebAssembly.Module }
  | { kind: 'lists'; id: number }
  | { kind: 'shipped'; id: number; name: string }
  | { kind: 'check'; id: number; written: Written }
  | { kind: 'run'; id: number; written: Written; options: RunOptions }
  | { kind: 'stop' };

export type FromWorker =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'live'; id: number; live: Live }
  | { kind: 'done'; id: number; done: Done }
  | { kind: 'refused'; id: number; message: string; problems: Problem[] }
  | { kind: 'broken'; message: string };

/** The module as the worker uses it. Each throws `Refused` for what a user can mend, and anything else where it is broken. */
export interface Simulator {
  lists(): unknown;
  shipped(name: string): string;
  check(written: Written): Checked;
  begin(written: Written, options: RunOptions): Progress;
  /** Goes on for so long and says how far it is. */
  step(span: Ps): Progress;
  /** Of each port: packets that wait. A copy. */
  depths(): Uint32Array;
  /** Ends the run where it is. */
  finish(): Done;
}
