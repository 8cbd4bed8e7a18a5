import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Clock, roundSpeed } from '../../src/network/clock.svelte.ts';
import { clockKey } from '../../src/network/keys.ts';
import { fake } from '../fake.ts';
import { standIn } from '../canvas.ts';
import { testbed } from '../networks.ts';

let screen: ReturnType<typeof standIn>;
let clock: Clock;
const players = [fake(testbed(), 1, 10e9), fake(testbed(), 1, 10e9)];

function hide(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

beforeEach(() => {
  screen = standIn();
  clock = new Clock(players);
  clock.setSpeed(1e9);
});
afterEach(() => {
  hide(false);
  clock.destroy();
});

describe('clock', () => {
  it('plays so many picoseconds a second, and stops at the end', () => {
    clock.play();
    screen.frame(1000);
    screen.frame(1100);
    expect(clock.instant).toBe(0.1e9);
    clock.seek(9.95e9);
    screen.frame(1200);
    expect(clock.instant).toBe(10e9);
    expect(clock.playing).toBe(false);
    expect(screen.counts.frames.size).toBe(0);
  });

  it('plays from the beginning again when it is at the end', () => {
    clock.end();
    clock.play();
    expect(clock.instant).toBe(0);
  });

  it('tells everybody at each tick, exactly, and texts ten times a second', () => {
    const told: number[] = [];
    const leave = clock.subscribe((at) => told.push(at));
    clock.play();
    for (let now = 1000; now <= 1160; now += 16) screen.frame(now);
    expect(told).toHaveLength(11);
    expect(clock.instant).toBe(0.16e9);
    expect(clock.at).toBeLessThan(clock.instant);
    clock.pause();
    expect(clock.at).toBe(clock.instant);
    leave();
    clock.seek(5e9);
    expect(told).toHaveLength(11);
  });

  it('steps from event to event of whichever player has the nearest, and back', () => {
    const [a, b] = [[2e6, 7e6], [5e6]];
    const of = (times: number[]): ConstructorParameters<typeof Clock>[0][number] => ({
      head: { from: 0 },
      tail: { to: 1e9 },
      next: (at) => times.find((t) => t > at) ?? null,
      previous: (at) => times.findLast((t) => t < at) ?? null,
    });
    const two = new Clock([of(a), of(b)]);
    const seen = [1, 1, 1, 1, -1, -1].map((n) => (two.step(n), two.at));
    expect(seen).toEqual([2e6, 5e6, 7e6, 7e6, 5e6, 2e6]);
    two.destroy();
  });

  it('plays a loop over and over', () => {
    clock.setLoop({ from: 3e9, to: 2e9 });
    expect(clock.loop).toEqual({ from: 2e9, to: 3e9 });
    clock.seek(2.95e9);
    clock.play();
    screen.frame(1000);
    screen.frame(1100);
    expect(clock.instant).toBe(2e9);
    expect(clock.playing).toBe(true);
  });

  it('stands still while the tab is hidden, and goes on from there without a jump', () => {
    clock.play();
    screen.frame(1000);
    hide(true);
    expect(screen.counts.frames.size).toBe(0);
    hide(false);
    screen.frame(3_600_000);
    screen.frame(3_600_016);
    expect(clock.instant).toBe(0.016e9);
  });

  it('moves in steps of half a second with reduced motion', () => {
    screen.motion(true);
    const told: number[] = [];
    clock.subscribe((at) => told.push(at));
    clock.play();
    for (let now = 1000; now <= 2100; now += 10) screen.frame(now);
    expect(told).toEqual([0.5e9, 1e9]);
  });

  it('keeps whole picoseconds inside the recordings', () => {
    clock.seek(-5);
    expect(clock.instant).toBe(0);
    clock.seek(1e15);
    expect(clock.instant).toBe(10e9);
    clock.seek(1.7);
    expect(clock.instant).toBe(2);
  });

  it('goes from speed to speed by 1, 2 and 5, from a nanosecond a second to real time', () => {
    const seen = [1, 1, 1, -1, -1, -1, -1].map((n) => (clock.faster(n), clock.speed));
    expect(seen).toEqual([2e9, 5e9, 1e10, 5e9, 2e9, 1e9, 5e8]);
    for (let i = 0; i < 60; i++) clock.faster(-1);
    expect(clock.speed).toBe(1e3);
    for (let i = 0; i < 60; i++) clock.faster(1);
    expect(clock.speed).toBe(1e12);
    expect([3, 1.2, 7e3, 9].map(roundSpeed)).toEqual([2, 1, 5e3, 10]);
  });

  it('obeys its keys', () => {
    const press = (key: string, more = {}): boolean => clockKey(clock, new KeyboardEvent('keydown', { key, ...more }));
    expect(press(' ')).toBe(true);
    expect(clock.playing).toBe(true);
    press('k');
    expect(clock.playing).toBe(false);
    press('ArrowRight');
    expect(clock.at).toBe(1e6);
    press('ArrowRight', { shiftKey: true });
    expect(clock.at).toBe(11e6);
    press('ArrowLeft');
    expect(clock.at).toBe(10e6);
    press('End');
    expect(clock.at).toBe(10e9);
    press('Home');
    expect(clock.at).toBe(0);
    press(']');
    expect(clock.speed).toBe(2e9);
    press('[');
    expect(clock.speed).toBe(1e9);
    expect(press('x')).toBe(false);
    expect(press('ArrowLeft', { ctrlKey: true })).toBe(false);
  });
});
