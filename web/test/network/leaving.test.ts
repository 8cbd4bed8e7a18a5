import { mount, unmount, flushSync, type Component } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Clock } from '../../src/network/clock.svelte.ts';
import Compare from '../../src/network/Compare.svelte';
import LiveNetwork from '../../src/network/LiveNetwork.svelte';
import Network from '../../src/network/Network.svelte';
import Transport from '../../src/network/Transport.svelte';
import type { Selection } from '../../src/network/types.ts';
import { View } from '../../src/network/view.ts';
import { standIn } from '../canvas.ts';
import { fake } from '../fake.ts';
import { fatTree } from '../networks.ts';

// A machine that others work on takes long to compile components.
vi.setConfig({ testTimeout: 60_000 });
const network = fatTree(4);
const players = [fake(network, 50), fake(network, 50)];
let screen: ReturnType<typeof standIn>;
let clock: Clock;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  screen = standIn();
  clock = new Clock(players);
});
afterEach(() => {
  clock.destroy();
  vi.useRealTimers();
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

/** Listeners on what outlives a component. */
function counted(): () => number {
  let open = 0;
  for (const target of [window, document, document.documentElement]) {
    type Any = (...args: unknown[]) => void;
    const [add, remove] = [target.addEventListener.bind(target) as Any, target.removeEventListener.bind(target) as Any];
    vi.spyOn(target, 'addEventListener').mockImplementation((...args: unknown[]) => {
      open++;
      add(...args);
    });
    vi.spyOn(target, 'removeEventListener').mockImplementation((...args: unknown[]) => {
      open--;
      remove(...args);
    });
  }
  return () => open;
}

describe('components that come and go', () => {
  const cases: [string, Component<never>, () => object][] = [
    ['Network', Network as never, () => ({ player: players[0], clock, onselect: () => undefined })],
    ['Compare', Compare as never, () => ({ sides: players.map((player, i) => ({ name: `${i}`, player })), clock })],
    ['Transport', Transport as never, () => ({ clock, players })],
    ['LiveNetwork', LiveNetwork as never, () => ({ network, live: null })],
  ];
  it.each(cases)('%s leaves nothing behind', async (_, component, props) => {
    const once = async (): Promise<void> => {
      const made = mount(component, { target: document.body, props: props() as never });
      flushSync();
      clock.play();
      screen.frame(1000);
      screen.frame(1016);
      clock.pause();
      flushSync();
      vi.advanceTimersByTime(200);
      await unmount(made);
      flushSync();
    };
    // Svelte keeps listeners of its own on the document from the first time on.
    await once();
    const open = counted();
    const before = { ...screen.counts, frames: screen.counts.frames.size, timers: vi.getTimerCount(), listeners: clock.listeners };
    for (let i = 0; i < 5; i++) await once();
    expect(open()).toBe(0);
    expect({ ...screen.counts, frames: screen.counts.frames.size, timers: vi.getTimerCount(), listeners: clock.listeners }).toEqual(before);
    expect(clock.listeners).toBe(0);
    expect(document.body.childElementCount).toBe(0);
  });

  it('a shared view is left too', async () => {
    const view = new View();
    const made = mount(Network, { target: document.body, props: { player: players[0]!, clock, view } });
    flushSync();
    expect(view.listeners).toBe(1);
    expect(screen.counts.frames.size).toBeGreaterThan(0);
    await unmount(made);
    expect(view.listeners).toBe(0);
    expect(screen.counts.frames.size).toBe(0);
  });

  it('a clock that is destroyed asks for no frame and hears nothing', () => {
    const open = counted();
    const one = new Clock(players);
    one.play();
    one.destroy();
    expect(open()).toBe(0);
    expect(screen.counts.frames.size).toBe(0);
    expect(one.listeners).toBe(0);
  });
});

describe('Network', () => {
  it('draws at every tick, selects what is clicked and says it in words when it is paused', async () => {
    const chosen: Selection[] = [];
    const player = fake(network, 50);
    const made = mount(Network, { target: document.body, props: { player, clock, onselect: (s: Selection) => void chosen.push(s) } });
    flushSync();
    const before = player.calls;
    clock.play();
    for (let now = 1000; now < 1100; now += 10) screen.frame(now);
    expect(player.calls).toBeGreaterThanOrEqual(before + 9);
    clock.pause();
    flushSync();
    vi.advanceTimersByTime(400);
    flushSync();
    expect(document.body.textContent).toContain('50 packets moving');
    const box = document.querySelector<HTMLElement>('[role="application"]')!;
    const key = (name: string): boolean => box.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
    key('n');
    flushSync();
    expect(document.querySelector('.tip')?.textContent).toContain('edge 0.0, pod 0');
    key('Enter');
    expect(chosen).toEqual([{ node: network.nodes.findIndex((node) => node.name === 'edge 0.0') }]);
    await unmount(made);
  });

  it('says why it cannot draw', async () => {
    const broken = { ...fake(network, 1), frame: () => { throw new Error('chunk 3 is not whole'); } };
    const made = mount(Network, { target: document.body, props: { player: broken, clock } });
    flushSync();
    screen.frame(1000);
    flushSync();
    expect(document.querySelector('[role="alert"]')?.textContent).toContain('chunk 3 is not whole');
    await unmount(made);
  });
});

describe('Compare', () => {
  it('says of which side a packet is, and shows it there alone', async () => {
    const chosen: Selection[] = [];
    const asked = players.map((player) => vi.spyOn(player, 'journey'));
    const made = mount(Compare, {
      target: document.body,
      props: { sides: players.map((player, i) => ({ name: `${i}`, player })), clock, selection: { packet: 3, side: 1 }, onselect: (s: Selection) => void chosen.push(s) },
    });
    flushSync();
    expect(asked.map((spy) => spy.mock.calls.length > 0)).toEqual([false, true]);
    await unmount(made);
  });
});

describe('Transport', () => {
  it('has a name for every control, and leaves space to a focused button', async () => {
    const made = mount(Transport, { target: document.body, props: { clock, players } });
    flushSync();
    for (const control of document.querySelectorAll('button, input')) {
      const name = control.getAttribute('aria-label') ?? control.textContent?.trim() ?? '';
      expect(name !== '' || control.closest('label') !== null).toBe(true);
    }
    const button = document.querySelector<HTMLElement>('button[aria-label="Go to the end"]')!;
    button.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
    expect(clock.playing).toBe(false);
    button.click();
    flushSync();
    expect(clock.at).toBe(clock.to);
    expect(document.querySelector('output')?.textContent).toContain('ms');
    await unmount(made);
  });
});
