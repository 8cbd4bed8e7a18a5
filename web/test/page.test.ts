import { describe, expect, it } from 'vitest';
import { read } from '../src/shell/fragment';
import type { Contents } from '../src/shell/opening';
import { Page } from '../src/shell/page.svelte';
import { fake, MS, US } from './panels-fake';

const recording = (name: string, slow = true) => ({ name, scheme: name, seed: '1', player: fake({ scheme: name, slow }) });
const contents = (recordings: Contents['recordings']): Contents => ({ title: 'a run', recordings, failures: [] });

function opened(): Page {
  const page = new Page();
  page.add(contents([recording('dctcp'), recording('dibs', false)]));
  return page;
}

describe('the page', () => {
  it('begins shortly before the slowest query is asked, with both recordings', () => {
    const page = opened();
    expect(page.sides.map((side) => side.name)).toEqual(['dctcp', 'dibs']);
    expect([page.query, page.selection, page.clock?.at]).toEqual([3, { query: 3 }, 30 * US]);
  });

  it('opens the panel of what was selected last', () => {
    const page = opened();
    page.clicked({ packet: 7, side: 1 });
    expect([page.panel, page.selection]).toEqual(['packet', { query: 3, packet: 7, side: 1, flow: 2 }]);
    page.clicked({ port: 8 });
    expect([page.panel, page.selection]).toEqual(['switch', { query: 3, flow: 2, port: 8, node: 4 }]);
    page.select({ ...page.selection, flow: 1 });
    expect(page.panel).toBe('flow');
  });

  it('shows what made the query slow: the burst before the drop, slowly, with the packet', () => {
    const page = opened();
    page.view = 'distributions';
    page.show(0);
    expect([page.view, page.clock?.playing, page.clock?.at, page.selection]).toEqual(['watch', true, 30 * US, { query: 3, side: 0, flow: 2, packet: 7 }]);
    page.clock?.pause();
  });

  it('jumps from a distribution to the moment that made a query slow', () => {
    const page = opened();
    page.view = 'distributions';
    page.showQuery(3);
    expect([page.view, page.panel, page.clock?.at]).toEqual(['watch', 'query', 200 * US]);
  });

  it('opens the same moment from its own link', () => {
    const page = opened();
    page.clicked({ packet: 7, side: 1 });
    page.clock?.seek(5 * MS);
    const other = opened();
    expect(other.follow(read(page.link).moment)).toEqual([]);
    expect([other.view, other.panel, other.selection, other.clock?.at]).toEqual([page.view, page.panel, page.selection, 5 * MS]);
  });

  it('says what a link asks for that is not here', () => {
    const page = opened();
    expect(page.follow({ at: 99 * MS, right: 5 })).toHaveLength(2);
    expect(page.clock?.at).toBe(15 * MS);
    expect(page.right).toBe(1);
  });

  it('compares what is opened later with what is there, at the same instant', () => {
    const page = opened();
    page.clock?.seek(2 * MS);
    page.add(contents([recording('vertigo', false)]));
    expect([page.sides.map((side) => side.name), page.clock?.at]).toEqual([['dctcp', 'vertigo'], 2 * MS]);
  });

  it('keeps what is there when a later file cannot be opened', () => {
    const page = opened();
    page.add({ ...contents([]), failures: [{ name: 'x', says: 'no', todo: '' }] });
    expect([page.sides.length, page.failures.length]).toEqual([2, 1]);
  });

  it('stops the clock of what is replaced', () => {
    const page = opened();
    const before = page.clock!;
    before.play();
    page.replace(contents([recording('dibs')]));
    expect([before.playing, page.sides.map((side) => side.name)]).toEqual([false, ['dibs']]);
  });
});
