// @vitest-environment node
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fragmentOf, isLab, LinkError, MOST_CHARACTERS, PREFIX, settingsFrom } from '../../src/lab/share.ts';
import { type Settings, settingsOf, standard } from '../../src/lab/settings.ts';

/** A generator whose numbers are the same in every run of the tests. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function anySettings(next: () => number): Settings {
  const among = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
  const letters = 'abc XYZ 0189 -_"\'\\\n\t=[]{}#ä∞🙂'.split(/(?:)/u);
  const word = (most: number) => Array.from({ length: 1 + Math.floor(next() * most) }, () => among(letters)).join('');
  const pairs = () => Object.fromEntries(Array.from({ length: Math.floor(next() * 4) }, () => [word(8), word(12)]));
  const traffic = () => ({ name: word(6), kind: word(6), values: pairs() });
  return {
    from: among(['form', 'flows', 'text'] as const),
    topology: { kind: word(8), values: pairs() },
    schemes: Array.from({ length: Math.floor(next() * 3) }, () => word(9)),
    traffic: Array.from({ length: Math.floor(next() * 4) }, traffic),
    values: pairs(),
    switches: pairs(),
    seed: word(6),
    files: pairs(),
    text: word(300),
    pace: word(4),
  };
}

const raw = (value: unknown) => {
  const bytes = new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  return PREFIX + deflateRawSync(bytes).toString('base64url');
};

describe('a link', () => {
  it('brings back any settings', async () => {
    const next = random(19);
    for (let i = 0; i < 200; i += 1) {
      const settings = anySettings(next);
      const fragment = await fragmentOf(settings);
      expect(fragment).toMatch(/^#lab=[A-Za-z0-9_-]+$/);
      expect(await settingsFrom(fragment)).toEqual(settings);
    }
  });

  it('is short for what the lab opens with', async () => {
    expect((await fragmentOf(standard())).length).toBeLessThan(400);
  });

  it('that is cut anywhere is told as broken, and never taken', async () => {
    const whole = await fragmentOf({ ...standard(), text: 'duration = "1 ms"\n'.repeat(5) });
    for (let length = PREFIX.length; length < whole.length - 1; length += 1) {
      await expect(settingsFrom(whole.slice(0, length)), `${length}`).rejects.toThrow(LinkError);
    }
  });

  it('of another form says what is wrong', async () => {
    const said: [string, RegExp][] = [
      ['#at=12', /expected a link that has #lab=/],
      [`${PREFIX}%%%`, /other characters/],
      [`${PREFIX}AAAA`, /cannot be unpacked/],
      [raw('no json'), /no text of settings/],
      [raw('7'), /no settings/],
      [raw({ settings: {} }), /no version/],
      [raw({ version: 2, settings: {} }), /newer lab: it has version 2, expected at most 1/],
      [PREFIX + 'A'.repeat(MOST_CHARACTERS), /expected at most 32000/],
    ];
    for (const [fragment, words] of said) await expect(settingsFrom(fragment)).rejects.toThrow(words);
  });

  it('that unpacks to very much is given up', async () => {
    const bomb = raw({ version: 1, settings: { text: 'x'.repeat(5_000_000) } });
    expect(bomb.length).toBeLessThan(MOST_CHARACTERS);
    await expect(settingsFrom(bomb)).rejects.toThrow(/more than 2000000 bytes/);
  });

  it('is not made of settings that are too long for one', async () => {
    const next = random(3);
    const text = Array.from({ length: 60_000 }, () => String.fromCharCode(33 + next() * 90)).join('');
    await expect(fragmentOf({ ...standard(), text })).rejects.toThrow(/expected at most 32000: send the text/);
  });

  it('is known by its beginning', () => {
    expect(isLab('#lab=x')).toBe(true);
    expect(isLab('#at=3')).toBe(false);
  });
});

describe('settings of a link', () => {
  it('that are of another form are the standard ones', () => {
    for (const value of [null, 7, 'x', [], { topology: 3, schemes: 'dibs', traffic: {}, values: [], seed: 4 }]) {
      expect(settingsOf(value)).toEqual(standard());
    }
  });

  it('keep what they have', () => {
    const some = { schemes: ['a', 3, 'b', 'c'], traffic: [{ name: 'x', kind: 'y' }, null, { kind: 'z' }] };
    const made = settingsOf(some);
    expect(made.schemes).toEqual(['a', 'b']);
    expect(made.traffic).toEqual([{ name: 'x', kind: 'y', values: {} }]);
  });
});
