// A page that is left playing does not grow: sixty rounds of playing and of changing views, some two minutes, and what is
// held after garbage collection. Seen: 0.6 to 1.0 MB more of 13 MB of script's memory, as many nodes and listeners as before.
import type { Page } from '@playwright/test';
import { HTML, disk, expect, test } from './room.ts';

/** How often it plays for thirty frames, from the beginning, and every view and panel but the lab is changed to. */
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

test('playing and changing views sixty times keeps no memory', { tag: '@slow' }, async ({ page }) => {
  // Two minutes beside another browser; ten times that on a machine that is busier.
  test.setTimeout(1_200_000);
  await page.goto(disk(HTML));
  await expect(page.getByRole('button', { name: /^play/i })).toBeVisible();
  // What is made once is made.
  for (let i = 0; i < 5; i++) await round(page);
  const before = await held(page);
  for (let i = 0; i < ROUNDS; i++) await round(page);
  // The view that was left last may be held by a timer for a moment: what is kept is there at every look.
  await expect
    .poll(async () => {
      const after = await held(page);
      console.log(`heap ${before.heap} and ${after.heap} bytes, nodes ${before.nodes} and ${after.nodes}, listeners ${before.listeners} and ${after.listeners}`);
      return {
        // Somewhat more than was seen, which is code that is compiled and what the measurement keeps.
        heap: after.heap - before.heap < ROUNDS * 20_000,
        // One that is kept in every other round fails.
        nodes: after.nodes - before.nodes < ROUNDS / 2,
        listeners: after.listeners - before.listeners < ROUNDS / 2,
      };
    })
    .toEqual({ heap: true, nodes: true, listeners: true });
});
