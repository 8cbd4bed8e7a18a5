// A page that plays for an hour does not grow: an hour of frames in minutes, memory after garbage collection.
import type { Page } from '@playwright/test';
import { HTML, disk, expect, test } from './room.ts';

/** How often what a minute of playing does is done: views and panels changed, the clock at the beginning again. */
const ROUNDS = 60;

/** Bytes of script's memory, and how many nodes and listeners there are, after garbage collection. */
async function held(page: Page): Promise<{ heap: number; nodes: number; listeners: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters');
  await session.detach();
  return { heap: usedSize, nodes, listeners: jsEventListeners };
}

async function round(page: Page): Promise<void> {
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  for (const key of ['5', '6', '7', '4']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Distributions', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Distributions' })).toBeVisible();
  await page.getByRole('button', { name: 'Watch', exact: true }).click();
  await expect(page.getByRole('application').first()).toBeVisible();
  // A second or so of drawing, by frames and not by the clock on the wall.
  await page.evaluate(async () => {
    for (let i = 0; i < 30; i++) await new Promise(requestAnimationFrame);
  });
  const pause = page.getByRole('button', { name: /^pause/i });
  if (await pause.isVisible()) await pause.click();
}

test('playing and changing views sixty times keeps no memory', async ({ page }) => {
  test.setTimeout(1_200_000);
  await page.goto(disk(HTML));
  await expect(page.getByRole('button', { name: /^play/i })).toBeVisible();
  // What is made once is made.
  for (let i = 0; i < 5; i++) await round(page);
  const before = await held(page);
  for (let i = 0; i < ROUNDS; i++) await round(page);
  const after = await held(page);
  console.log(`heap ${before.heap} and ${after.heap} bytes, nodes ${before.nodes} and ${after.nodes}, listeners ${before.listeners} and ${after.listeners}`);
  // Noise of a few kB a round is less than a listener or a canvas that is kept.
  expect(after.heap - before.heap).toBeLessThan(ROUNDS * 30_000);
  expect(after.nodes - before.nodes).toBeLessThan(ROUNDS);
  expect(after.listeners - before.listeners).toBeLessThan(ROUNDS / 2);
});
