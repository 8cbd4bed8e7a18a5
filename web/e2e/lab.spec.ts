// The live lab: the simulator runs in the page, from disk, and settings travel as a link.
import type { Page } from '@playwright/test';
import { HTML, PAGE, disk, expect, test } from './room.ts';

/** The simulator starts, and a first run may have to be compiled: that takes its time on a busy machine. */
const SLOW = { timeout: 180_000 };

async function open(page: Page, address = disk(PAGE, '#view=lab')): Promise<void> {
  await page.goto(address);
  await expect(run(page)).toBeEnabled(SLOW);
}

const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true });
const results = (page: Page) => page.getByRole('table', { name: /one run of each scheme/i });

test('a run in the page gives a result, and a recording to watch', async ({ page }) => {
  await open(page);
  await run(page).click();
  await expect(results(page)).toBeVisible(SLOW);
  await expect(results(page).getByRole('row', { name: /trajectory hash/ })).toContainText(/[0-9a-f]{16}/);
  await page.getByRole('button', { name: 'Watch it packet by packet' }).click();
  await expect(page.getByRole('button', { name: /^play/i })).toBeVisible();
  await expect(page.getByRole('region', { name: /slowest query|query \d+/i }).first()).toBeVisible();
});

test('the same settings give the same hash again', async ({ page }) => {
  await open(page);
  const hash = async (): Promise<string> => {
    await run(page).click();
    await expect(run(page)).toBeEnabled(SLOW);
    await expect(results(page)).toBeVisible(SLOW);
    return (await results(page).getByRole('row', { name: /trajectory hash/ }).textContent()) ?? '';
  };
  expect(await hash()).toBe(await hash());
});

test('six stories are there, and each is a link that sets the lab', async ({ page }) => {
  await open(page);
  const stories = page.getByRole('region', { name: 'Live lab' }).getByRole('link', { name: /^\d\. / });
  await expect(stories).toHaveCount(6);
  const before = page.url();
  await stories.nth(1).click();
  await expect(page).toHaveURL(/#lab=/);
  expect(page.url()).not.toBe(before);
  await expect(run(page)).toBeEnabled(SLOW);
});

test('a shared link carries the settings, in another page', async ({ page, browser }) => {
  await open(page);
  const region = page.getByRole('region', { name: 'Live lab' });
  await region.getByRole('radio', { name: /as text/i }).check();
  const text = region.getByRole('textbox', { name: 'Scenario' });
  const given = `title = "shared, µs & <b>"\n${await text.inputValue()}`;
  await text.fill(given);
  await region.getByRole('button', { name: 'Link to these settings' }).click();
  const link = await region.getByRole('textbox', { name: /link to these settings/i }).inputValue();
  expect(link).toContain('#lab=');
  const other = await browser.newPage();
  await open(other, link);
  await expect(other.getByRole('textbox', { name: 'Scenario' })).toHaveValue(given);
  await other.close();
});

test('what is wrong with a scenario or a link is said in words', async ({ page }) => {
  await open(page);
  const region = page.getByRole('region', { name: 'Live lab' });
  await region.getByRole('radio', { name: /as text/i }).check();
  await region.getByRole('textbox', { name: 'Scenario' }).fill('duration = "1 ms"\nschemes = ["dips"]\n[topology]\nkind = "fat_tree"\nk = 4\n');
  await expect(region).toContainText(/dips/);
  await expect(region).toContainText(/did you mean|dibs/);
  await page.goto('about:blank');
  await open(page, disk(HTML, '#lab=broken'));
  await expect(page.getByRole('alert').filter({ hasText: /link/i }).first()).toBeVisible();
});

test('a run is stopped in the middle, and the next one runs', async ({ page }) => {
  await open(page);
  await page.getByRole('textbox', { name: /slow down to/i }).fill('1');
  await run(page).click();
  const stop = page.getByRole('button', { name: 'Stop' });
  await expect(stop).toBeEnabled();
  await stop.click();
  await expect(run(page)).toBeEnabled(SLOW);
  await page.getByRole('textbox', { name: /slow down to/i }).fill('');
  await run(page).click();
  await expect(results(page).getByRole('row', { name: /trajectory hash/ })).toContainText(/[0-9a-f]{16}/, SLOW);
});
