// @vitest-environment node
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Player, Refused } from '../src/engine/api.ts';
import { openPlayer } from '../src/engine/player.ts';
import { decode, Engine } from '../src/engine/wasm.ts';

const at = new URL('../src/engine/sidestep.wasm', import.meta.url);
const data = (name: string) => new Uint8Array(readFileSync(new URL(`data/${name}-1.srec`, import.meta.url)));

it('the bytes of the module come out of its address', () => {
  expect([...decode('data:application/wasm;base64,AGFzbQ==')]).toEqual([0, 0x61, 0x73, 0x6d]);
  expect(() => decode('/assets/sidestep.wasm')).toThrow(/expected it in base64, got \/assets/);
});

// `scripts/wasm.sh --page` makes it; `scripts/web.sh` does that before it tests.
describe.skipIf(!existsSync(at))('recordings by the module', () => {
  let engine: Engine;
  let dctcp: Player;
  let dibs: Player;

  beforeAll(async () => {
    engine = await Engine.start(new Uint8Array(readFileSync(at)));
    dctcp = await openPlayer(data('dctcp'), engine);
    dibs = await openPlayer(data('dibs'), engine);
  });

  it('a recording says what it is of', () => {
    expect([dctcp.head.scheme, dibs.head.scheme, dctcp.head.network.kind]).toEqual(['dctcp', 'dibs', 'fat_tree']);
    expect(dctcp.head.network.nodes).toHaveLength(36);
    expect([dctcp.tail.queries.length, dctcp.tail.flows.length]).toEqual([1, 15]);
    expect(dctcp.tail).not.toHaveProperty('chunks');
    expect(dctcp.bytes).toBe(data('dctcp').length);
    expect(dctcp.memory()).toBeGreaterThan(dctcp.bytes);
  });

  it('frames forwards are frames backwards, of two recordings in turn', () => {
    const instants = Array.from({ length: 40 }, (_, i) => i * 40_000_000);
    const look = (player: Player, ps: number) => {
      const frame = player.frame(ps, 50_000_000);
      return {
        at: frame.at,
        packets: [...frame.packets],
        bytes: [...frame.bytes],
        use: [...frame.use],
        detours: [...frame.detours],
        drops: [...frame.drops],
        moving: [frame.packet, frame.port, frame.progress, frame.flags, frame.flow].map((part) => [
          ...part.subarray(0, frame.moving),
        ]),
      };
    };
    const forwards = instants.map((ps) => [look(dctcp, ps), look(dibs, ps)]);
    const backwards = instants.toReversed().map((ps) => [look(dctcp, ps), look(dibs, ps)]);
    expect(backwards.toReversed()).toEqual(forwards);
    const all = forwards.map(([, frame]) => frame);
    expect(Math.max(...all.flatMap((frame) => frame?.packets ?? []))).toBe(100);
    expect(all.some((frame) => frame?.detours.some((count) => count > 0))).toBe(true);
    expect(all.some((frame) => (frame?.moving[0]?.length ?? 0) > 2)).toBe(true);
  });

  it('a detour is told with the queue that was full, and stands in the packet’s journey', () => {
    const [detour] = dibs.happenings(0, dibs.tail.to, 1, { kinds: ['detour'] });
    expect(detour?.says).toMatch(/^edge 3\.1 detours it to agg 3\.\d instead of host 14(, and marks it)?: the queue to host 14 holds 100 of 100 packets$/);
    const journey = dibs.journey(detour?.packet ?? -1);
    expect(journey.end).toBe('delivered');
    const hop = journey.path.find((hop) => hop.detoured);
    expect(hop?.port).toBe(detour?.port);
    expect(journey.happenings.map((happening) => happening.says)).toContain(detour?.says);
    expect(dctcp.happenings(0, dctcp.tail.to, 1, { kinds: ['detour'] })).toEqual([]);
  });

  it('events are found after and before an instant, of one port too', () => {
    const [drop] = dctcp.happenings(0, dctcp.tail.to, 1, { kinds: ['drop'] });
    const [when, port] = [drop?.at ?? 0, drop?.port ?? 0];
    expect(dctcp.next(when - 1)).toBe(when);
    expect(dctcp.previous(when + 1, port)).toBe(when);
    expect(dctcp.next(dctcp.tail.to)).toBeNull();
    expect(dctcp.waiting(when, port)).toHaveLength(100);
  });

  it('queues and flows come as columns', () => {
    const target = dctcp.tail.queries[0]?.target ?? 0;
    const edge = dctcp.head.network.links.find((link) => link.from === target)?.to ?? 0;
    const series = dctcp.queues(edge, 0, dctcp.tail.to, 50);
    const toTarget = series.ports.find((port) => port.to === target);
    expect(toTarget?.packets).toBeInstanceOf(Float64Array);
    expect(toTarget?.packets).toHaveLength(50);
    expect(Math.max(...(toTarget?.packets ?? []))).toBe(100);
    const flow = dctcp.flow(3);
    expect(flow.flow?.id).toBe(3);
    expect(flow.sent.at.length).toBeGreaterThan(27);
    expect(flow.sent.packet).toBeInstanceOf(Uint32Array);
    expect(flow.sent.again).toHaveLength(flow.sent.at.length);
    expect(flow.acked.seq.at(-1)).toBe(40_000);
    expect(flow.windows.cwnd.every((cwnd) => cwnd >= 1460)).toBe(true);
  });

  it('a query’s time is filled, and its sentence says what decided', () => {
    for (const player of [dctcp, dibs]) {
      const told = player.query(0);
      let now = told.query.start;
      for (const part of told.parts) {
        expect(part.from).toBe(now);
        expect(part.to).toBeGreaterThan(now);
        now = part.to;
      }
      expect(now).toBe(told.query.end);
      expect(told.sums.map((sum) => sum.ps).reduce((a, b) => a + b)).toBe(now - told.query.start);
      expect(told.sums.some((sum) => sum.kind === 'unknown')).toBe(false);
    }
    expect(dibs.query(0).says).toMatch(/in queues/);
    const { flows, queries } = dibs.completions();
    expect([flows.length, queries.length]).toEqual([15, 1]);
    expect(flows.every((flow) => flow.slowdown >= 1)).toBe(true);
    expect(flows.some((flow) => flow.detours > 0)).toBe(true);
  });

  it('what cannot be answered is refused in words', async () => {
    await expect(openPlayer(new TextEncoder().encode('not one'), engine)).rejects.toThrow(Refused);
    await expect(openPlayer(data('dibs').subarray(0, 9000), engine)).rejects.toThrow(/cut off/);
    const newer = data('dibs');
    newer[8] = 9;
    await expect(openPlayer(newer, engine)).rejects.toThrow(/unsupported version.*version 9/);
    const damaged = data('dibs');
    damaged[20_000] = (damaged[20_000] ?? 0) ^ 1;
    await expect(openPlayer(damaged, engine)).rejects.toThrow(/recording/);
    expect(() => dibs.journey(4_000_000_000)).toThrow(/packet 4000000000 is not in the recording/);
    expect(() => dibs.query(9)).toThrow(/query 9/);
    expect(() => dibs.queues(99, 0, 1, 1)).toThrow(/there is no node 99/);
    expect(() => engine.call('player.sing', { player: 0 })).toThrow(/unknown call "sing"/);
  });

  it('a recording that was closed answers no more, and its memory is used again', async () => {
    const one = await openPlayer(data('dibs'), engine);
    one.close();
    one.close();
    expect(() => one.frame(0, 1)).toThrow(/was closed/);
    const before = engine.memory;
    for (let i = 0; i < 30; i++) (await openPlayer(data('dibs'), engine)).close();
    expect(engine.memory - before).toBeLessThan(8 << 20);
  });
});
