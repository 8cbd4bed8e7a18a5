/**
 * The clock of one or more players in lock-step: it says which instant all of them show.
 *
 * **State**   `instant` is exact and is read by drawings, which are called at each tick; `at` is the same for the page's texts and panels, at most ten
 *             times a second while it plays, so that they do not work at every frame.
 * **Units**   picoseconds; `speed` is picoseconds of the run a second of the wall clock.
 * **Errors**  an instant outside the recordings is the nearest one inside.
 * **Decision** it stands still while the tab is hidden. Nothing is allocated for a tick.
 */
import type { Player, Ps } from '../engine/api.ts';

/** A nanosecond of the run a second, and real time. */
export const SLOWEST = 1e3;
export const FASTEST = 1e12;
/** How often `at` follows while it plays, and how often it moves at all with reduced motion; milliseconds. */
const FOLLOW = 100;
const STEP = 500;

type Span = Pick<Player, 'next' | 'previous'> & { head: { from: Ps }; tail: { to: Ps } };

export class Clock {
  readonly from: Ps;
  readonly to: Ps;
  /** The instant, for texts and panels. */
  at: Ps = $state(0);
  playing: boolean = $state(false);
  speed: number = $state(1e9);
  /** What is played over and over. */
  loop: { from: Ps; to: Ps } | null = $state(null);
  /** No tweening: the clock moves in steps of half a second. */
  stepwise = false;
  #instant: Ps;
  #players: readonly Span[];
  #listeners: ((at: Ps) => void)[] = [];
  #frame = 0;
  #last = -1;
  #followed = 0;
  #quiet: MediaQueryList | undefined;

  constructor(players: readonly Span[]) {
    this.#players = players;
    this.from = players.length > 0 ? Math.min(...players.map((p) => p.head.from)) : 0;
    this.to = Math.max(this.from, ...players.map((p) => p.tail.to));
    this.#instant = this.from;
    this.at = this.from;
    // The whole in some 20 seconds.
    this.speed = roundSpeed(Math.max((this.to - this.from) / 20, SLOWEST));
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#quiet = typeof matchMedia === 'function' ? matchMedia('(prefers-reduced-motion: reduce)') : undefined;
    this.#quiet?.addEventListener('change', this.#onMotion);
    this.#onMotion();
  }

  /** The exact instant. */
  get instant(): Ps {
    return this.#instant;
  }

  /** Over how much of the run use, detours and drops are shown: about what passes in 0.4 s. */
  get span(): Ps {
    return Math.round(Math.min(Math.max(this.speed * 0.4, 1e6), Math.max(1e6, (this.to - this.from) / 4)));
  }

  /** Calls `listener` at every change of the instant, until what it returns is called. */
  subscribe(listener: (at: Ps) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => (this.#listeners = this.#listeners.filter((l) => l !== listener));
  }

  get listeners(): number {
    return this.#listeners.length;
  }

  play(): void {
    if (this.playing) return;
    const end = this.loop?.to ?? this.to;
    if (this.#instant >= end) this.#move(this.loop?.from ?? this.from);
    this.playing = true;
    this.#run();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.#halt();
    this.at = this.#instant;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Goes to an instant; playing goes on from there. */
  seek(at: Ps): void {
    this.#move(at);
    this.at = this.#instant;
  }

  /** `n` events forward, or backward when it is negative, of whichever player has the nearest one. Pauses. */
  step(n: number): void {
    this.pause();
    for (let i = 0; i < Math.abs(n); i++) {
      let found: Ps | null = null;
      for (const player of this.#players) {
        const at = n > 0 ? player.next(this.#instant) : player.previous(this.#instant);
        if (at !== null && (found === null || (n > 0 ? at < found : at > found))) found = at;
      }
      if (found === null) break;
      this.#instant = this.#inside(found);
    }
    this.seek(this.#instant);
  }

  home(): void {
    this.seek(this.loop?.from ?? this.from);
  }

  end(): void {
    this.seek(this.loop?.to ?? this.to);
  }

  /** The next faster speed of 1, 2, 5, 10, …, or the next slower one. */
  faster(steps: number): void {
    const now = Math.round(Math.log10(roundSpeed(this.speed)) * 3);
    this.setSpeed(roundSpeed(10 ** ((now + steps) / 3)));
  }

  setSpeed(speed: number): void {
    this.speed = Math.min(Math.max(speed, SLOWEST), FASTEST);
  }

  /** Plays this over and over; null ends it. */
  setLoop(loop: { from: Ps; to: Ps } | null): void {
    this.loop = loop === null ? null : { from: this.#inside(Math.min(loop.from, loop.to)), to: this.#inside(Math.max(loop.from, loop.to)) };
  }

  /** Nothing of it stays behind. */
  destroy(): void {
    this.#halt();
    this.playing = false;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#quiet?.removeEventListener('change', this.#onMotion);
    this.#listeners = [];
  }

  readonly #onVisibility = (): void => {
    if (document.hidden) this.#halt();
    else if (this.playing) this.#run();
  };

  readonly #onMotion = (): void => {
    this.stepwise = this.#quiet?.matches ?? false;
  };

  readonly #tick = (now: number): void => {
    this.#frame = requestAnimationFrame(this.#tick);
    if (this.#last < 0) this.#last = now;
    const passed = now - this.#last;
    if (this.stepwise && passed < STEP) return;
    this.#last = now;
    // A frame that took very long is no jump: at most a quarter of a second passes, and one step.
    const counted = Math.min(passed, this.stepwise ? STEP : 250);
    const end = this.loop?.to ?? this.to;
    let at = this.#instant + (counted / 1000) * this.speed;
    if (at >= end && this.loop !== null && this.loop.to > this.loop.from) at = this.loop.from;
    this.#move(at);
    if (now - this.#followed >= FOLLOW) {
      this.#followed = now;
      this.at = this.#instant;
    }
    if (this.#instant >= end) this.pause();
  };

  #run(): void {
    if (this.#frame !== 0 || document.hidden) return;
    this.#last = -1;
    this.#frame = requestAnimationFrame(this.#tick);
  }

  #halt(): void {
    if (this.#frame !== 0) cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #inside(at: Ps): Ps {
    return Math.round(Math.min(Math.max(at, this.from), this.to));
  }

  #move(at: Ps): void {
    this.#instant = this.#inside(at);
    const listeners = this.#listeners;
    for (let i = 0; i < listeners.length; i++) listeners[i]!(this.#instant);
  }
}

/** The nearest of 1, 2 and 5 times a power of ten. */
export function roundSpeed(speed: number): number {
  const power = 10 ** Math.floor(Math.log10(speed) + 1e-9);
  const lead = speed / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}
