import { describe, expect, it } from 'vitest';
import { read, write, type Moment } from '../src/shell/fragment';

describe('the fragment', () => {
  it('reads what it wrote', () => {
    const moments: Moment[] = [
      {},
      { at: 0 },
      { view: 'watch', panel: 'packet', at: 12_345_678, side: 1, packet: 17, flow: 0, query: 3, node: 5, port: 9, left: 0, right: 2 },
      { view: 'distributions' },
      { at: 2 ** 53 - 1 },
    ];
    for (const moment of moments) expect(read(write(moment))).toEqual({ moment, problems: [] });
  });

  it('rounds an instant to whole picoseconds', () => expect(write({ at: 1.5 })).toBe('#at=2'));

  it.each(['#at=-1', '#at=1.5', '#at=1e3', '#at=', '#at=9007199254740993', '#packet=x', '#view=house', '#panel=%3Cb%3E'])('says what is wrong with %s and goes on', (fragment) => {
    const { moment, problems } = read(`${fragment}&query=4`);
    expect(moment).toEqual({ query: 4 });
    expect(problems).toHaveLength(1);
  });

  it('shortens what a broken link says', () => expect(read(`#view=${'x'.repeat(9999)}`).problems[0]?.length).toBeLessThan(120));

  it('passes over names that it does not know', () => expect(read('#later=1&at=5')).toEqual({ moment: { at: 5 }, problems: [] }));

  it("leaves the lab's fragment to the lab", () => expect(read('#lab=eJyrVkrLz1eyUlBKyk')).toEqual({ moment: { view: 'lab' }, problems: [] }));
});
