/** A lab without a module: what it was asked, and answers that a test prepares. */
import type { Done, Live, Network } from '../../src/engine/api.ts';
import { Refused } from '../../src/engine/api.ts';
import type { Checked, Progress, RunOptions, Simulator, Written } from '../../src/engine/lab.protocol.ts';
import type { Runner } from '../../src/lab/runs.ts';

const param = (name: string, expected: string, preset: string | null, doc: string, off: string | null = null) => ({
  name,
  expected,
  default: preset,
  off,
  doc,
});

/** A part of what the module lists, in its form. */
export const LISTS = {
  kinds: [
    {
      kind: 'schemes',
      key: 'schemes = ["NAME"]',
      items: ['dctcp', 'dibs', 'vertigo'].map((name) => ({ name, summary: `what ${name} is`, source: '', params: [] })),
    },
    {
      kind: 'topologies',
      key: 'topology.kind',
      items: [
        {
          name: 'fat_tree',
          summary: 'k pods',
          source: 'Al-Fares et al.',
          params: [
            param('k', 'a whole number', '8', 'ports of every switch'),
            param('rate', 'a rate like "1 Gbps"', '1 Gbps', 'of every link'),
            param('delay', 'a time like "50 us"', '1 us', 'of every link'),
            param('cores', 'a whole number', 'all', 'core switches kept', 'all'),
          ],
        },
        { name: 'single_switch', summary: 'one', source: '', params: [param('hosts', 'a whole number', '8', 'hosts')] },
      ],
    },
    {
      kind: 'workloads',
      key: 'workload.NAME.kind',
      items: [
        {
          name: 'incast',
          summary: 'many hosts send to one',
          source: '',
          params: [
            param('degree', 'a whole number', '40', 'hosts that send'),
            param('flows', 'a whole number', '1', 'flows of each sender'),
            param('size', 'a size like "20 kB"', '20 kB', 'of a flow', 'off'),
            param('senders', 'one of random, spread, first', 'random', 'which hosts send'),
          ],
        },
        { name: 'background', summary: 'flows', source: '', params: [param('cdf', 'a file or the name of a shipped one', 'homa_w1', 'sizes')] },
      ],
    },
    { kind: 'cdfs', key: 'workload.NAME.cdf', items: [{ name: 'homa_w1', summary: 'mean', source: '', params: [] }] },
    {
      kind: 'sections',
      key: '[NAME]',
      items: [
        {
          name: 'scenario',
          summary: 'the top',
          source: '',
          params: [
            param('title', 'a file', '', 'title'),
            param('duration', 'a time like "50 us"', null, 'flows arrive in this window'),
            param('seeds', 'a file', '1', 'one run each'),
            param('schemes', 'a file', null, 'what to compare'),
          ],
        },
        {
          name: 'switch',
          summary: 'switches',
          source: '',
          params: [
            param('capacity', 'a queue size like "100 pkt" or "150 kB"', '100 pkt', 'what a queue holds', 'unlimited'),
            param('pfc', 'true or false', 'false', 'pause'),
          ],
        },
      ],
    },
  ],
};

export const NETWORK: Network = {
  kind: 'single_switch',
  nodes: [
    { name: 'host 0', host: true },
    { name: 'switch 0', host: false },
  ],
  links: [
    { from: 0, port: 0, to: 1, rate_bps: 1e9, delay_ps: 1e6 },
    { from: 1, port: 0, to: 0, rate_bps: 1e9, delay_ps: 1e6, queue_packets: 100 },
  ],
};

export function done(scheme: string, seed: string, summary: unknown = {}): Done {
  return { scheme, seed, hash: '0123456789abcdef', summary, warnings: [], recording: new Uint8Array([1, 2, 3]) };
}

/** A module whose runs take so much simulated time, and whose steps cost time of a clock that the test has. */
export class FakeSimulator implements Simulator {
  readonly steps: number[] = [];
  progress: Progress = { now: 0, horizon: 0, flows_done: 0, flows_total: 3, packet_hops: 0, over: false };
  finished = 0;

  constructor(
    private readonly length: number,
    /** Simulated time has passed: the clock goes on. */
    private readonly spend: (span: number) => void = () => undefined,
  ) {}

  lists(): unknown {
    return LISTS;
  }

  shipped(name: string): string {
    if (name !== 'quickstart') throw new Refused(`scenario "${name}" is unknown`);
    return 'duration = "1 ms"';
  }

  check(written: Written): Checked {
    if (written.toml.includes('panic')) throw new Error('unreachable executed');
    if (written.toml.includes('wrong')) {
      throw new Refused('wrong', [{ message: 'wrong', file: 'scenario.toml', line: 2, column: 1 }]);
    }
    return { schemes: ['dctcp', 'dibs'], network: NETWORK, warnings: [] };
  }

  begin(written: Written, _options: RunOptions): Progress {
    this.check(written);
    this.progress = { ...this.progress, now: 0, horizon: this.length, over: false };
    return this.progress;
  }

  step(span: number): Progress {
    this.steps.push(span);
    this.spend(span);
    const now = Math.min(this.length, this.progress.now + span);
    this.progress = { ...this.progress, now, over: now === this.length };
    return this.progress;
  }

  depths(): Uint32Array {
    return new Uint32Array([0, Math.min(100, this.steps.length)]);
  }

  finish(): Done {
    this.finished += 1;
    return done('dctcp', '1', { interrupted: !this.progress.over });
  }
}

/** A lab whose answers a test chooses. */
export class FakeRunner implements Runner {
  readonly checked: { toml: string; files: Record<string, string> }[] = [];
  readonly runs: { toml: string; options: RunOptions }[] = [];
  stops = 0;
  problems: Refused | undefined;
  failure: Refused | undefined;
  answer: Checked = { schemes: ['dctcp', 'dibs'], network: NETWORK, warnings: [] };
  /** Called in the middle of each run. */
  during: () => void | Promise<void> = () => undefined;

  async lists(): Promise<unknown> {
    return LISTS;
  }

  async check(toml: string, files: Record<string, string>): Promise<Checked> {
    this.checked.push({ toml, files });
    if (this.problems) throw this.problems;
    return this.answer;
  }

  async run(
    toml: string,
    _files: Record<string, string>,
    options: RunOptions,
    live: (live: Live) => void,
  ): Promise<Done> {
    this.runs.push({ toml, options });
    const packets = new Uint32Array([0, 5]);
    live({ now: 1, horizon: 2, flows_done: 0, flows_total: 3, packet_hops: 9, over: false, packets });
    await this.during();
    if (this.failure) throw this.failure;
    return done(options.scheme, options.seed, { drops: { full: 2 }, packet_hops: 10 });
  }

  stop(): void {
    this.stops += 1;
  }
}
