/**
 * Six prepared stories: settings that show what they say, each a link like every other.
 *
 * Decision  each says what its numbers show, and `test/lab/gallery.test.ts` holds it to them. The numbers in the comments are those of
 *           `sidestep run` with the same settings, senders without SACK (`profile=none`) among them; none takes more than a quarter of a million packet-hops a scheme.
 */
import { type Settings, standard } from './settings.ts';

export interface Story {
  id: string;
  title: string;
  /** Two sentences. */
  text: string;
  settings: Settings;
}

/** 15 hosts of a k=4 fat-tree answer one at once, 30 kB each, with the papers' senders. */
function incast(schemes: string[]): Settings {
  return {
    ...standard(),
    schemes,
    values: { duration: '1 ms', profile: 'none' },
    traffic: [{ name: 'query', kind: 'incast', values: { degree: '15', size: '30 kB' } }],
  };
}

/** Queries of 15 answers, 6,000 of them a second, for 10 ms. */
function busy(schemes: string[]): Settings {
  return {
    ...standard(),
    schemes,
    values: { duration: '10 ms', profile: 'none' },
    traffic: [{ name: 'query', kind: 'query', values: { rate: '6 k/s', degree: '15', size: '20 kB' } }],
  };
}

/** The lab's own seed holds, whatever the text says. */
function written(text: string, seed: string): Settings {
  return { ...standard(), from: 'text', schemes: [], text, seed };
}

const SPRAY = `# Every host of a k=4 fat-tree sends 1 MB to a host of another pod, and receives as much.
duration = "1 ms"
seeds = [3]
profile = "none"
schemes = ["ecmp", "spray"]

[topology]
kind = "fat_tree"
k = 4

[workload.all]
kind = "permutation"
size = "1 MB"
apart = "pod"

# Reordered packets are no loss: both do without fast retransmit.
[transport]
fast_retransmit = "off"

[scheme.ecmp]
summary = "DCTCP, each flow on one path"
[scheme.ecmp.switch]
route = "ecmp"
buffer = "ecn"
[scheme.ecmp.transport]
kind = "dctcp"

[scheme.spray]
summary = "DCTCP, each flow's packets on all paths in turn"
[scheme.spray.switch]
route = "spray-rr"
buffer = "ecn"
[scheme.spray.transport]
kind = "dctcp"
`;

const APART = `# Two endless flows and many short ones to the same host, through one port.
duration = "100 ms"
drain = "200 ms"
seeds = [1]
profile = "none"
schemes = ["one", "two"]

[topology]
kind = "single_switch"
hosts = 10
delay = "43.5 us"

[switch]
capacity = "250 kB"

[workload.long]
kind = "long"
between = "to_host"
target = 0
flows = 2

[workload.short]
kind = "background"
cdf = "uniform 2 kB..98 kB"
inter_arrival = "off"
target = 0
load = "0.4"

[scheme.one]
summary = "one queue for short and long flows"
[scheme.one.switch]
buffer = "droptail"
sched = "fifo"
[scheme.one.transport]
kind = "newreno"

[scheme.two]
summary = "a queue for each, served by how many flows are in it (MulBuff)"
[scheme.two.switch]
buffer = { kind = "mulbuff", sizes = "static", mark_at = "off" }
sched = { kind = "wps", classes = 2 }
[scheme.two.host]
shims = ["by-size"]
by-size = { thresholds = "100 kB" }
[scheme.two.transport]
kind = "newreno"
`;

export const STORIES: Story[] = [
  {
    id: 'overflow',
    title: 'An incast overflows a port',
    text:
      'Fifteen hosts answer one at the same instant, and the queue before its link is full while all others are empty. ' +
      'What is dropped there waits for a timeout, since these senders have no SACK as in most papers: the query takes three times as long as its bytes need.',
    // dctcp: 28 drops, 2 timeouts, query 12.59 ms; 15 x 30 kB take 3.8 ms at 1 Gbps with their headers.
    settings: incast(['dctcp']),
  },
  {
    id: 'detour',
    title: 'A detour saves it',
    text:
      'The same burst once more, and beside it DIBS: what finds the queue full leaves by another port and comes back a little later. ' +
      'Nothing is dropped, nobody waits for a timeout, and the query ends when its bytes are through.',
    // dctcp: 28 drops, 12.59 ms. dibs: 0 drops, 65 detours, 3.85 ms.
    settings: incast(['dctcp', 'dibs']),
  },
  {
    id: 'collapse',
    title: 'Where detouring collapses',
    text:
      'Now queries come so fast that the links to hosts have hardly a free instant, and detoured packets meet full queues everywhere. ' +
      'Detours take room from each other, packets are dropped after all, and DIBS is slower than DCTCP.',
    // dctcp: query p50 19.0 ms, slowest 30.7 ms. dibs: p50 28.0 ms, slowest 41.6 ms, 54,912 detours, 2,879 drops.
    settings: busy(['dctcp', 'dibs']),
  },
  {
    id: 'vertigo',
    title: 'Vertigo\'s answer',
    text:
      'Under the same load Vertigo sends on not whoever comes last, but the packets of the flows with most left to send, and hosts put them back into order. ' +
      'Flows that are nearly done get through, and the median query takes a third of its time under DIBS.',
    // dibs: p50 28.0 ms, slowest 41.6 ms. vertigo: p50 9.10 ms, slowest 14.9 ms.
    settings: busy(['dibs', 'vertigo']),
  },
  {
    id: 'spray',
    title: 'Why spraying evens queues',
    text:
      'Every host sends to another pod: a hash puts several flows on one link and none on its neighbour, and queues grow before the full one. ' +
      'With packets on all paths in turn each link has its even share, hardly a queue is long enough to be marked, and all flows end together.',
    // ecmp: 2,421 marks, flows p50 13.2 ms, slowest 22.6 ms. spray: 63 marks, p50 9.08 ms, slowest 10.6 ms. No packet is dropped.
    settings: written(SPRAY, '3'),
  },
  {
    id: 'apart',
    title: 'Short and long flows apart',
    text:
      'Two endless flows keep a queue full, and short ones wait behind them and lose packets there. ' +
      'With a queue for each kind the slowest short flow takes less than a tenth of its time, and the long flows have what is left.',
    // one: short flows mean 11.4 ms, slowest 83.8 ms, 647 drops, 50 timeouts. two: mean 1.65 ms, slowest 3.77 ms, 140 drops, no timeout.
    settings: written(APART, '1'),
  },
];
