import { describe, expect, it } from 'vitest';
import { culprit, drawn, moment, partAt, type Part } from '../src/panels/breakdown';
import { aligned, nearest, type Line } from '../src/panels/chart';
import { cdfs, known, percentile, unfinished, values } from '../src/panels/distribution';
import { busiest, events, lengths, totals } from '../src/panels/queues';
import { neighbours, route } from '../src/panels/route';
import { sequence, timeoutsOf, windows } from '../src/panels/sequence';
import { ranking, show, slowest, tell } from '../src/panels/story';
import { fake, MS, US } from './panels-fake';

const us = { name: 'µs', per: 1e6 };
const slow = fake();
const fast = fake({ scheme: 'dibs', slow: false });
const sides = [
  { name: 'dctcp', player: slow },
  { name: 'dibs', player: fast },
];
const part = (kind: string, from: number, to: number): Part => ({ kind, from, to, says: kind });

describe('a breakdown', () => {
  it('blames the kind that took most, by its first long part, and links only when there is nothing else', () => {
    const parts = [part('before', 0, 900), part('queue', 900, 930), part('link', 930, 1500), part('queue', 1500, 1540), part('timeout', 1540, 1600)];
    expect(culprit(parts)).toEqual(parts[1]);
    expect(culprit([part('timeout', 0, 10), part('timeout', 20, 60), part('timeout', 70, 100)])?.from).toBe(20);
    expect(culprit([part('link', 0, 4), part('link', 4, 20)])?.from).toBe(4);
    expect(culprit([part('queue', 0, 4), part('unknown', 4, 90)])?.from).toBe(0);
    expect(culprit([part('unknown', 0, 4), part('link', 4, 6)])?.from).toBe(4);
    expect(culprit([part('unknown', 3, 4)])?.from).toBe(3);
    expect(culprit([])).toBeNull();
  });

  it('finds the part of an instant: it has its beginning and not its end', () => {
    const parts = [part('a', 10, 20), part('b', 20, 25), part('c', 25, 70)];
    expect([9, 10, 19, 20, 24, 25, 69, 70].map((at) => partAt(parts, at)?.kind ?? null)).toEqual([null, 'a', 'a', 'b', 'b', 'c', 'c', null]);
  });

  it('draws what is too thin as part of what is before it, and leaves no gap', () => {
    const parts = Array.from({ length: 2000 }, (_, i) => part(i % 2 === 0 ? 'queue' : 'link', i, i + 1));
    const all = drawn(parts, 2000, 100);
    expect(all.length).toBeLessThanOrEqual(200);
    expect(all[0]?.from).toBe(0);
    expect(all.at(-1)?.to).toBe(2000);
    all.slice(1).forEach((one, i) => expect(one.from).toBe(all[i]?.to));
  });

  it('shows the drop that a timeout follows from, and where that is not recorded the beginning of the wait', () => {
    expect(moment(slow, slow.query(3))).toMatchObject({ at: 200 * US, packet: 7 });
    const without = { ...slow, happenings: () => [] };
    expect(moment(without, slow.query(3))).toMatchObject({ at: 200 * US, packet: null });
    expect(moment(fast, fast.query(3)).at).toBe(50 * US);
  });
});

describe('the story', () => {
  it('is of the slowest query of the first recording', () => {
    expect(slowest(slow)).toBe(3);
    expect(slowest(fake({ queries: false }))).toBeNull();
    expect(ranking(sides)).toEqual([{ id: 3, qcts: [11.95 * MS, 1.95 * MS] }]);
  });

  it('takes a query that never completed where none did', () => {
    const open = fake();
    const never = { ...open, tail: { ...open.tail, queries: [{ ...open.tail.queries[0]!, end: null }] }, completions: () => ({ flows: [], queries: [], unfinished: { flows: 0, queries: 1 } }) };
    expect(slowest(never)).toBe(3);
    expect(tell([{ name: 'x', player: { ...never, query: () => ({ ...open.query(3), query: never.tail.queries[0]! }) } }], 3).tellings[0]?.took).toBeNull();
  });

  it('plays from the question until after the moment in ten seconds', () => {
    const told = tell(sides, 3);
    const showing = show(sides, told.tellings[0]!)!;
    expect(showing).toMatchObject({ from: 30 * US, flow: 2, side: 0 });
    expect(showing.from + showing.speed * 10).toBe(700 * US);
  });

  it('compares both in a sentence', () => expect(tell(sides, 3).compares).toBe('The same query took 11.9 ms with dctcp and 1.95 ms with dibs: 6.13 times as long.'));

  it('says that both took the same where they did', () => expect(tell([sides[0]!, sides[0]!], 3).compares).toMatch(/nearly the same time/));
});

describe('a path', () => {
  it('has each node once, hosts below, and hop numbers on arcs in order', () => {
    const figure = route(fast.head, fast.journey(7));
    expect(figure.stops.map((stop) => stop.name)).toEqual(['host 3', 'edge 1', 'core 0', 'edge 0', 'host 0']);
    const bent = figure.arcs.filter((arc) => arc.detoured);
    expect(bent.map((arc) => [arc.port, arc.hops])).toEqual([[8, [3, 5]]]);
    expect(figure.arcs.find((arc) => arc.port === 9)?.hops).toEqual([4, 6]);
    const y = (name: string) => figure.stops.find((stop) => stop.name === name)!.y;
    expect(y('core 0')).toBeLessThan(y('edge 0'));
    expect(y('edge 0')).toBeLessThan(y('host 0'));
    expect(figure.dropped).toBeNull();
  });

  it('ends with a cross at the switch that dropped it', () => expect(route(slow.head, slow.journey(7)).dropped).toBe(6));

  it('has neighbours in the order in which they were sent', () => {
    expect(neighbours(Uint32Array.of(5, 7, 8), 7)).toEqual({ before: 5, after: 8, place: 1 });
    expect(neighbours(Uint32Array.of(5, 7, 8), 5)).toEqual({ before: null, after: 7, place: 0 });
    expect(neighbours(Uint32Array.of(5), 6)).toEqual({ before: null, after: null, place: -1 });
  });
});

describe('a flow', () => {
  it('has points of each kind, each with its instant and packet', () => {
    const { drawing, points } = sequence(slow.flow(2), us);
    const by = (label: string) => drawing.lines.findIndex((line) => line.label === label);
    expect(drawing.lines.map((line) => line.label)).toEqual(['acknowledged', 'sent', 'sent again', 'marked', 'dropped', 'timeout']);
    expect(drawing.lines[by('dropped')]).toMatchObject({ x: [200], y: [1.46] });
    expect(points[by('sent again')]).toEqual({ at: [10 * MS], packet: [8] });
    expect(new Set(drawing.lines.filter((line) => line.kind === 'points').map((line) => line.shape)).size).toBe(5);
  });

  it('has a timeout where the count of them rises', () => expect(timeoutsOf(slow.flow(2).windows)).toEqual([10 * MS]));

  it('leaves out a threshold that nothing has set yet', () => {
    const threshold = windows(slow.flow(2), us).lines[1];
    expect(threshold).toMatchObject({ x: [10_000], y: [7.3] });
  });
});

describe('a switch', () => {
  const series = slow.queues(4, 0, MS, 10);

  it('draws the longest queues in the order of their ports, with the capacity', () => {
    expect(busiest(series).map((one) => one.port)).toEqual([1, 3, 8]);
    expect(busiest(series, 3).map((one) => one.port)).toEqual([3]);
    const many = { ...series, ports: Array.from({ length: 12 }, (_, port) => ({ ...series.ports[0]!, port, packets: Float64Array.of(port === 11 ? 0 : port) })) };
    expect(busiest(many).map((one) => one.port)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    expect(lengths(series, busiest(series), slow.head, us).lines.at(-1)).toMatchObject({ label: 'capacity, 100 packets', y: [100, 100] });
  });

  it('marks drops and detours at their instant, in the row of their port', () => {
    expect(totals(series)).toEqual({ detours: 0, drops: 15 });
    const chart = events(series, busiest(series), slow.head, us);
    expect(chart?.lines).toMatchObject([{ label: 'dropped at it', x: [300, 300, 300], y: [0, 1, 2] }]);
    expect(chart?.y.words?.get(2)).toBe('to core 0');
    expect(events(fast.queues(4, 0, MS, 10), busiest(fast.queues(4, 0, MS, 10)), fast.head, us)?.lines[0]?.label).toBe('detoured into it');
  });
});

describe('distributions', () => {
  it('have percentiles by nearest rank', () => {
    const sorted = [1, 2, 3, 4].map((value) => ({ value }));
    expect([0.25, 0.26, 0.5, 0.99, 1].map((part) => percentile(sorted, part))).toEqual([1, 2, 2, 4, 4]);
    expect(percentile([], 0.5)).toBeNull();
  });

  it('rise to one, once for equal values, on an axis that shows zeros where it can', () => {
    const sample = { name: 'dibs', sorted: values(fast.completions(), 'detours'), known: null };
    const made = cdfs([sample], 'detours')!;
    expect(made.drawing.lines[0]).toMatchObject({ x: [0, 0, 1, 2], y: [0, 1 / 3, 2 / 3, 1] });
    expect(made.drawing.x.log).toBe(false);
    const equal = cdfs([{ ...sample, sorted: [5, 5, 5].map((value, id) => ({ value, id })) }], 'slowdown')!;
    expect(equal.drawing.lines[0]).toMatchObject({ x: [5, 5], y: [0, 1] });
    expect(cdfs([{ ...sample, sorted: [] }], 'qct')).toBeNull();
  });

  it('say how many never ended', () => {
    const of = (name: string, flows: number, queries: number) => ({ name, completions: { ...fast.completions(), unfinished: { flows, queries } } });
    expect(unfinished([of('dibs', 0, 0)])).toBe('');
    expect(unfinished([of('dibs', 0, 0), of('dctcp', 3, 1)])).toBe('Not in the drawings, since they never ended: 1 query and 3 flows of dctcp. They took longer than what is drawn says.');
    expect(unfinished([of('dibs', 1, 0), of('dctcp', 0, 2)])).toMatch(/ended: 1 flow of dibs; 2 queries of dctcp\./);
  });

  it('have the result of the summary, whatever JSON it is', () => {
    const summary = { schemes: { dibs: { qct_ms: { p50: 1, p99: 2, ci: [1.5, 2.5], n: 9, completed_share: 0.5, p99_at_least: true } } } };
    expect(known(summary, 'dibs', 'qct')).toEqual({ scheme: 'dibs', p50: MS, p99: 2 * MS, ci: [1.5 * MS, 2.5 * MS], n: 9, completed: 0.5, atLeast: true });
    for (const odd of [null, undefined, 3, 'x', [], {}, { schemes: [] }, { schemes: { dibs: { qct_ms: [] } } }]) expect(known(odd, 'dibs', 'qct')).toBeNull();
    expect(known({ schemes: { dibs: { qct_ms: { p99: null, ci: ['a', 1] } } } }, 'dibs', 'qct')).toMatchObject({ p99: null, ci: null });
  });
});

describe('a chart', () => {
  const line = (x: number[], y: number[]): Line => ({ label: '', colour: '--c1', kind: 'points', x, y });

  it('keeps both of two points at one instant', () => {
    const [x, y] = aligned([line([1, 1, 2], [5, 6, 7])]);
    expect([x.length, Array.from(y as number[])]).toEqual([3, [5, 6, 7]]);
  });

  it('finds the nearest point within reach', () => {
    const lines = [line([0, 10], [0, 10]), line([12], [10])];
    const same = (v: number) => v;
    expect(nearest(lines, { x: 11.4, y: 10 }, same, same)).toEqual({ line: 1, index: 0 });
    expect(nearest(lines, { x: 100, y: 100 }, same, same)).toBeNull();
  });
});
