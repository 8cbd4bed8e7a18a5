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

test('the legend stays in sight in a low window', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 640 });
  await open(page);
  await expect(page.getByRole('list', { name: 'Legend' })).toBeInViewport({ ratio: 1 });
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

test('a switch is chosen in the drawing by keyboard', async ({ page }) => {
  await open(page);
  const drawing = page.getByRole('application').first();
  await drawing.focus();
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tab', { name: 'Switch' })).toHaveAttribute('aria-selected', 'true');
  await expect(details(page)).toContainText(/queue/i);
  await expect.poll(() => link(page).get('node')).not.toBeNull();
});

/** Moves over points of the drawing until its tooltip says `wanted`, and clicks there; the tooltip's first line. */
async function clickOn(page: Page, wanted: RegExp, points: (box: { width: number; height: number }) => Iterable<[number, number]>): Promise<string> {
  const drawing = page.getByRole('application', { name: /dctcp/i });
  const box = await drawing.boundingBox();
  if (!box) throw new Error('the drawing is not on the screen');
  const tip = drawing.locator('.tip .first');
  for (const [x, y] of points(box)) {
    await page.mouse.move(box.x + x, box.y + y);
    // The tooltip comes with the next frame of the screen.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const said = (await tip.isVisible()) ? ((await tip.textContent()) ?? '') : '';
    if (!wanted.test(said)) continue;
    await page.mouse.click(box.x + x, box.y + y);
    return said;
  }
  throw new Error(`no point of the drawing says ${wanted}`);
}

test('a click on a switch in the drawing shows its queues', async ({ page }) => {
  await open(page, '#view=watch&panel=query&at=300000000');
  const said = await clickOn(page, /^core \d/, function* ({ width, height }) {
    for (let y = 8; y < height / 3; y += 12) for (let x = 30; x < width; x += 40) yield [x, y];
  });
  await expect(page.getByRole('tab', { name: 'Switch' })).toHaveAttribute('aria-selected', 'true');
  await expect(details(page).getByRole('combobox', { name: 'Switch' }).locator('option:checked')).toHaveText(said);
  await expect.poll(() => link(page).get('node')).not.toBeNull();
});

test('a click on a packet in the drawing shows its path', async ({ page }) => {
  // Packets are small, and here some are under way.
  await open(page, '#view=watch&panel=query&at=300000000');
  const said = await clickOn(page, /^packet \d+ of flow/, function* ({ width, height }) {
    // Those to the target, first: between the switches of its pod.
    for (const from of [0.8, 0.5]) for (let y = height * 0.7; y > height * 0.4; y -= 8) for (let x = width * 0.98; x > width * from; x -= 8) yield [x, y];
  });
  const number = /\d+/.exec(said)?.[0];
  await expect(page.getByRole('tab', { name: 'Packet' })).toHaveAttribute('aria-selected', 'true');
  await expect(details(page)).toContainText(new RegExp(`Packet ${number}\\b`));
  await expect.poll(() => link(page).get('packet')).toBe(number);
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
