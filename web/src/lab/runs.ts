/**
 * Runs the schemes of a scenario after each other with the same seed.
 *
 * Decision  one worker, one run at a time: two at once would take twice the memory and, on a small machine, as long. A stop ends
 *           the run under way, whose recording is kept, and those that have not begun.
 * Errors    what the simulator refuses ends all of it.
 */
import type { Done, Live, Network } from '../engine/api.ts';
import type { Checked, RunOptions } from '../engine/lab.protocol.ts';
import type { Scenario } from './toml.ts';

/** What the lab is used for here: `WorkerLab`, or a fake in tests. */
export interface Runner {
  lists(): Promise<unknown>;
  check(toml: string, files: Record<string, string>): Promise<Checked>;
  run(toml: string, files: Record<string, string>, options: RunOptions, live: (live: Live) => void): Promise<Done>;
  stop(): void;
}

/** A run that is over. */
export interface Recording {
  name: string;
  scheme: string;
  seed: string;
  bytes: Uint8Array;
  done: Done;
}

export interface Watch {
  /** A run begins: the scheme's place among those to run. */
  begin(number: number): void;
  live(live: Live, network: Network): void;
}

/** Which of a scenario's schemes are run: those that are chosen and are in it, or its first two. */
export function chosenSchemes(chosen: string[], there: string[]): string[] {
  const both = chosen.filter((scheme) => there.includes(scheme));
  return [...new Set(both.length > 0 ? both : there)].slice(0, 2);
}

export class Runs {
  readonly #runner: Runner;
  #stopped = false;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  async run(
    scenario: Scenario,
    checked: Checked,
    schemes: string[],
    options: Omit<RunOptions, 'scheme'>,
    watch: Watch,
  ): Promise<Recording[]> {
    this.#stopped = false;
    const recordings: Recording[] = [];
    for (const [number, scheme] of schemes.entries()) {
      if (this.#stopped) break;
      watch.begin(number);
      const live = (now: Live) => watch.live(now, checked.network);
      const done = await this.#runner.run(scenario.toml, scenario.files, { ...options, scheme }, live);
      recordings.push({ name: `${scheme}, seed ${done.seed}`, scheme, seed: done.seed, bytes: done.recording, done });
    }
    return recordings;
  }

  stop(): void {
    this.#stopped = true;
    this.#runner.stop();
  }
}

/** Picoseconds a second from the text of microseconds a second; nothing where it says none. */
export function paceOf(text: string): number | undefined {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) && number > 0 ? Math.round(number * 1e6) : undefined;
}
