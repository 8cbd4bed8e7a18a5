// Watching two recordings side by side: the clock, and what can be chosen.
import type { Page } from '@playwright/test';
import { HTML, disk, expect, test } from './room.ts';

/** What a link to this moment says. */
function link(page: Page): URLSearchParams {
  return new URLSearchParams(new URL(page.url()).hash.slice(1));
}

/** Where the clock stands, as the link says it, in picoseconds. */
const at = (page: Page): number => Number(link(page).get('at'));

const play = (page: Page) => page.getByRole('button', { name: /^play/i });
const pause = (page: Page) => page.getByRole('button', { name: /^pause/i });
const details = (page: Page) => page.getByRole('tabpanel');

async function open(page: Page, fragment = ''): Promise<void> {
  await page.goto(disk(HTML, fragment));
  await expect(play(page)).toBeVisible();
}

test('two schemes stand side by side, and play and pause move one clock', async ({ page }) => {
  await open(page);
  await expect(page.getByRole('application', { name: /dctcp/i })).toBeVisible();
  await expect(page.getByRole('application', { name: /dibs/i })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => at(page)).toBeGreaterThanOrEqual(0);
  const before = at(page);
  await play(page).click();
  await expect(pause(page)).toBeVisible();
  await expect.poll(async () => Number(await page.getByRole('slider', { name: 'Time' }).inputValue())).toBeGreaterThan(0);
  await pause(page).click();
  await expect(play(page)).toBeVisible();
  await expect.poll(() => at(page)).toBeGreaterThan(before);
});

test('the scrubber, steps and ends move the clock, by mouse and by keyboard', async ({ page }) => {
  await open(page);
  const main = page.getByRole('main');
  await page.keyboard.press('Home');
  await expect.poll(() => at(page)).toBe(0);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => at(page)).toBeGreaterThan(0);
  const stepped = at(page);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => at(page)).toBeLessThan(stepped);
  await page.keyboard.press('End');
  await expect.poll(() => at(page)).toBeGreaterThan(stepped);
  const end = at(page);
  const scrubber = main.getByRole('slider', { name: 'Time' });
  const box = await scrubber.boundingBox();
  if (!box) throw new Error('the scrubber is not on the screen');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(() => at(page)).toBeLessThan(end * 0.75);
  await expect.poll(() => at(page)).toBeGreaterThan(end * 0.25);
});

test('"show me" plays the moment that made the slowest query slow', async ({ page }) => {
  await open(page);
  await page.getByRole('button', { name: /show me/i }).click();
  await expect(pause(page)).toBeVisible();
  await pause(page).click();
  await expect(play(page)).toBeVisible();
  await expect.poll(() => link(page).get('packet')).not.toBeNull();
  expect(at(page)).toBeGreaterThan(0);
});

test('a query says which flow came last, and leads to it, its packets and their hops', async ({ page }) => {
  await open(page);
  await page.getByRole('tab', { name: 'Query' }).click();
  const query = details(page).getByRole('region', { name: /dctcp/ });
  await expect(query).toContainText(/response/);
  await query.getByRole('button', { name: /which came last/ }).click();
  await expect(page.getByRole('tab', { name: 'Flow' })).toHaveAttribute('aria-selected', 'true');
  const flow = details(page).getByRole('region', { name: /dctcp/ });
  await expect(flow).toContainText(/packets sent/);
  await expect(flow).toContainText(/timeout/);
  // The table beside the chart leads where the chart does.
  await flow.getByRole('button', { name: /table/i }).first().click();
  await expect(flow.getByRole('columnheader', { name: /sequence, kB/ })).toBeVisible();
  await flow.getByRole('table').first().getByRole('button').first().click();
  await page.getByRole('tab', { name: 'Packet' }).click();
  await expect(details(page)).toContainText(/Packet \d+/);
  const first = link(page).get('packet');
  await details(page).getByRole('button', { name: /next packet/i }).click();
  await expect.poll(() => link(page).get('packet')).not.toBe(first);
  await expect(details(page).getByRole('listitem').first()).toBeVisible();
});

test('a click on a packet, and on a switch, shows them', async ({ page }) => {
  await open(page);
  // While the answers are under way: a quarter of the query.
  const drawing = page.getByRole('application').first();
  await drawing.focus();
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Switch' })).toHaveAttribute('aria-selected', 'true');
  await expect(details(page)).toContainText(/queue/i);
  await expect.poll(() => link(page).get('node')).not.toBeNull();
});

test('a detoured packet is told of as one', async ({ page }) => {
  await open(page);
  const { detoured } = await found();
  await page.goto(disk(HTML, `#view=watch&panel=packet&side=1&packet=${detoured}`));
  await expect(details(page)).toContainText(new RegExp(`Packet ${detoured}\\b`));
  await expect(details(page)).toContainText(/[1-9]\d* detour/);
  await expect(details(page).getByRole('listitem').filter({ hasText: /instead of|detour/ }).first()).toBeVisible();
});

test('a link opens the same moment', async ({ page, browser }) => {
  await open(page);
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('tab', { name: 'Switch' }).click();
  await expect.poll(() => link(page).get('panel')).toBe('switch');
  const [there, instant] = [page.url(), at(page)];
  const other = await browser.newPage();
  await other.goto(there);
  await expect(play(other)).toBeVisible();
  await expect(other.getByRole('tab', { name: 'Switch' })).toHaveAttribute('aria-selected', 'true');
  await expect.poll(() => at(other)).toBe(instant);
  await other.close();
});

test('distributions lead to the slowest query', async ({ page }) => {
  await open(page);
  await page.getByRole('button', { name: 'Distributions' }).click();
  await expect(page.getByRole('heading', { name: 'Distributions' })).toBeVisible();
  await expect(page.getByRole('table', { name: /whole result/ })).toContainText('dibs');
  await page.getByRole('button', { name: /show what made query \d+ slow/i }).first().click();
  await expect(page.getByRole('tab', { name: 'Query' })).toHaveAttribute('aria-selected', 'true');
  await expect.poll(() => at(page)).toBeGreaterThan(0);
});

test('everything is reached by keyboard, and keys are told', async ({ page }) => {
  await open(page);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Help' })).toContainText('play or pause');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  for (const [key, tab] of [['5', 'Flow'], ['6', 'Packet'], ['7', 'Switch'], ['4', 'Query']] as const) {
    await page.keyboard.press(key);
    await expect(page.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true');
  }
  await page.keyboard.press('Space');
  await expect(pause(page)).toBeVisible();
  await page.keyboard.press('Space');
  await expect(play(page)).toBeVisible();
});

/** A packet of the second recording that was detoured, by its number there. */
async function found(): Promise<{ detoured: number }> {
  const { RESULT, sidestep } = await import('./room.ts');
  const told = sidestep('show', RESULT, '--recording', '--scheme', 'dibs', '--seed', '1', '--during', '0 s..1 s', '--most', '20000', '--json');
  const { events } = JSON.parse(told) as { events: { event: string; port: number; wanted: number; packet: number }[] };
  const one = events.find(({ event, port, wanted }) => event === 'enqueue' && port !== wanted);
  if (!one) throw new Error('DIBS detoured nothing: expected an incast that overflows its port');
  return { detoured: one.packet };
}
