// Opening: what is whole is shown, and what is not is said in words; never a blank page.
import { readFileSync, writeFileSync } from 'node:fs';
import { HTML, PAGE, RECORDING, disk, expect, listen, test } from './room.ts';

test('the one file opens from disk, asks nobody, and says why the slowest query was slow', async ({ page }) => {
  await page.goto(disk(HTML));
  await expect(page).toHaveTitle(/Sidestep/);
  const story = page.getByRole('region', { name: /slowest query/ });
  await expect(story).toBeVisible();
  await expect(story).toContainText('dctcp');
  await expect(story).toContainText('dibs');
  await expect(story.getByRole('button', { name: /show me/i })).toBeVisible();
});

test('the page alone welcomes, and opens a file that is chosen', async ({ page }) => {
  await page.goto(disk(PAGE));
  await expect(page.getByRole('heading', { name: 'See what a burst does to a network' })).toBeVisible();
  await page.locator('input[type=file]').first().setInputFiles(RECORDING);
  await expect(page.getByRole('region', { name: /slowest query/ })).toContainText('dctcp');
});

const whole = (): Buffer => readFileSync(RECORDING);
const changed = (at: number, byte: number): Buffer => {
  const bytes = whole();
  bytes[at] = byte;
  return bytes;
};

const WRONG: { name: string; bytes: () => Buffer; says: RegExp }[] = [
  { name: 'cut.srec', bytes: () => whole().subarray(0, whole().length - 9), says: /cut off/i },
  { name: 'newer.srec', bytes: () => changed(8, 9), says: /version 1 to \d+.*got version 9/i },
  { name: 'empty.srec', bytes: () => Buffer.alloc(0), says: /expected/i },
  { name: 'notes.srec', bytes: () => Buffer.from('a few notes'), says: /expected/i },
  { name: 'spoilt-head.srec', bytes: () => changed(60, 255 - (whole()[60] ?? 0)), says: /checksum/i },
];

for (const { name, bytes, says } of WRONG) {
  test(`${name} gets words and leaves the page as it was`, async ({ page }) => {
    await page.goto(disk(PAGE));
    await page.locator('input[type=file]').first().setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes() });
    const alert = page.getByRole('alert');
    await expect(alert).toContainText(name);
    await expect(alert).toContainText(says);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // What is whole opens after it, and beside it.
    await page.locator('input[type=file]').first().setInputFiles(RECORDING);
    await expect(page.getByRole('region', { name: /slowest query/ })).toBeVisible();
  });
}

test('a recording whose events are spoilt says so', async ({ page }) => {
  const middle = whole().length >> 1;
  await page.goto(disk(PAGE));
  await page.locator('input[type=file]').first().setInputFiles({ name: 'spoilt.srec', mimeType: 'application/octet-stream', buffer: changed(middle, 255 - (whole()[middle] ?? 0)) });
  await expect(page.getByRole('alert').filter({ hasText: /checksum/i }).first()).toBeVisible();
});

test('a page that was cut off says so', async ({ browser }) => {
  // Its own page: what is left of the script may well complain.
  const text = readFileSync(HTML, 'utf8');
  const begin = text.indexOf('id="bundle">') + 'id="bundle">'.length;
  const path = test.info().outputPath('cut.html');
  writeFileSync(path, text.slice(0, begin + 5000));
  const page = await browser.newPage();
  const wrong = listen(page);
  await page.goto(disk(path));
  await expect(page.getByRole('alert')).toContainText(/cut off|not whole/i);
  expect(wrong).toEqual([]);
  await page.close();
});
