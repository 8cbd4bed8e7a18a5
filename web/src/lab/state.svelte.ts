/**
 * What the lab knows and does: its settings, what is wrong with them, the run under way, what it came to.
 *
 * Decision  settings are checked a moment after they change; a run checks them again. The last answer holds, whatever order they
 *           come in.
 * State     all of the lab's; components show it and change settings.
 * Units     milliseconds for waiting.
 * Errors    in words, where they belong: at fields, at lines, or above the form.
 */
import { Refused, type Live, type Network } from '../engine/api.ts';
import type { Checked } from '../engine/lab.protocol.ts';
import { Catalog } from './catalog.ts';
import { problemsOf, type Sorted, sortProblems } from './problems.ts';
import { chosenSchemes, paceOf, type Recording, type Runner, Runs } from './runs.ts';
import { type Settings, standard } from './settings.ts';
import { fragmentOf, isLab, settingsFrom } from './share.ts';
import { scenarioOf } from './toml.ts';

/** From the last change of a setting until it is checked. */
const MOMENT = 300;
/** A link starts a run of at most so many packet-hops by itself: some seconds. */
const SMALL_RUN = 2_000_000;

const NOTHING: Sorted = { fields: new Map(), texts: new Map(), others: [] };

export interface Hearers {
  onlive?: ((live: Live, network: Network) => void) | undefined;
  ondone?: ((recordings: Recording[]) => void) | undefined;
}

/** A run under way: the scheme's place among those that run. */
export interface Under {
  schemes: string[];
  number: number;
  live: Live | undefined;
}

export class LabState {
  settings = $state.raw<Settings>(standard());
  catalog = $state.raw<Catalog>();
  checked = $state.raw<Checked>();
  problems = $state.raw<Sorted>(NOTHING);
  under = $state.raw<Under>();
  recordings = $state.raw<Recording[]>([]);
  /** What a screen reader is told. */
  said = $state('');
  /** Why the lab, a run or a link does not work. */
  failed = $state('');
  readonly #runner: Runner;
  readonly #runs: Runs;
  readonly #hearers: () => Hearers;
  #asked = 0;
  #waits: ReturnType<typeof setTimeout> | undefined;
  /** Of the run under way, if there is one. */
  #ends: Promise<void> = Promise.resolve();
  /** It was told to stop. */
  #stopped = false;

  constructor(runner: Runner, hearers: () => Hearers) {
    this.#runner = runner;
    this.#runs = new Runs(runner);
    this.#hearers = hearers;
  }

  /** The schemes to choose from: those of the text, or all that are shipped. */
  get schemes(): string[] {
    if (this.settings.from === 'text') return this.checked?.schemes ?? [];
    return this.catalog?.items('schemes').map((item) => item.name) ?? [];
  }

  async open(): Promise<void> {
    try {
      this.catalog = new Catalog(await this.#runner.lists());
      await this.check();
    } catch (why) {
      this.failed = words(why);
    }
  }

  close(): void {
    clearTimeout(this.#waits);
    this.#asked += 1;
    if (this.under) this.stop();
  }

  change(part: Partial<Settings>): void {
    this.settings = { ...this.settings, ...part };
    clearTimeout(this.#waits);
    this.#waits = setTimeout(() => void this.check(), MOMENT);
  }

  /** Takes what a link says, if it is one of the lab, and runs it where it is small. */
  async follow(fragment: string): Promise<void> {
    if (!isLab(fragment)) return;
    try {
      const settings = await settingsFrom(fragment);
      if (this.under) this.stop();
      await this.#ends;
      this.failed = '';
      this.recordings = [];
      this.change(settings);
    } catch (why) {
      this.failed = words(why);
      return;
    }
    const checked = await this.check();
    if (checked?.estimate && checked.estimate.packet_hops <= SMALL_RUN && !this.under) await this.run();
  }

  /** The fragment of a link to these settings; nothing where there is none, which is said. */
  async link(): Promise<string | undefined> {
    try {
      const fragment = await fragmentOf(this.settings);
      this.failed = '';
      return fragment;
    } catch (why) {
      this.failed = words(why);
      return undefined;
    }
  }

  /** What the settings mean; nothing where something is wrong with them. */
  async check(): Promise<Checked | undefined> {
    clearTimeout(this.#waits);
    const { catalog, settings } = this;
    if (catalog === undefined) return undefined;
    this.#asked += 1;
    const asked = this.#asked;
    const { toml, files } = scenarioOf(settings, catalog);
    try {
      const checked = await this.#runner.check(toml, files);
      if (asked === this.#asked) {
        this.checked = checked;
        this.problems = NOTHING;
      }
      return checked;
    } catch (why) {
      if (asked === this.#asked) {
        this.checked = undefined;
        this.problems = sortProblems(problemsOf(why), settings.from === 'text', (key) => this.#hasField(key));
      }
      return undefined;
    }
  }

  async run(): Promise<void> {
    if (this.under || this.catalog === undefined) return;
    this.#ends = this.#run(this.catalog);
    await this.#ends;
  }

  async #run(catalog: Catalog): Promise<void> {
    const { settings } = this;
    this.#stopped = false;
    this.failed = '';
    this.under = { schemes: [], number: 0, live: undefined };
    try {
      const checked = await this.check();
      if (checked === undefined) {
        this.said = 'Nothing runs: something is wrong with the settings.';
        return;
      }
      if (this.#stopped) {
        this.said = 'Stopped.';
        return;
      }
      const schemes = chosenSchemes(settings.schemes, checked.schemes);
      const pace = paceOf(settings.pace);
      const options = { seed: settings.seed.trim(), record: true, ...(pace === undefined ? {} : { pace }) };
      const scenario = scenarioOf(settings, catalog);
      const made = await this.#runs.run(scenario, checked, schemes, options, {
        begin: (number) => {
          this.under = { schemes, number, live: undefined };
          this.said = `${schemes[number]} runs.`;
        },
        live: (live, network) => {
          if (this.under) this.under = { ...this.under, live };
          this.#hearers().onlive?.(live, network);
        },
      });
      this.recordings = made;
      this.said = made.length === 0 ? 'Stopped.' : `Over: ${made.map((one) => one.scheme).join(' and ')}. The results are below.`;
      if (made.length > 0) this.#hearers().ondone?.(made);
    } catch (why) {
      this.failed = words(why);
      this.said = '';
    } finally {
      this.under = undefined;
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#runs.stop();
  }

  /** Is there a control for this dotted key? */
  #hasField(key: string): boolean {
    const { catalog, settings } = this;
    if (catalog === undefined) return false;
    const of = (at: string, params: { name: string }[]) => params.some((param) => key === `${at}${param.name}`);
    const traffic = settings.traffic.some(
      (one) =>
        key === `workload.${one.name}` || of(`workload.${one.name}.`, catalog.params('workloads', one.kind)),
    );
    return (
      key === 'topology' ||
      key === 'seeds' ||
      key === 'schemes' ||
      (settings.from === 'form' && traffic) ||
      of('', catalog.settings()) ||
      of('topology.', catalog.params('topologies', settings.topology.kind)) ||
      of('switch.', catalog.params('sections', 'switch'))
    );
  }
}

function words(why: unknown): string {
  return why instanceof Refused || why instanceof Error ? why.message : String(why);
}
