// Every view at the width of a desk and of a phone, light and dark: axe finds nothing, nothing is cut off sideways, and a picture is kept.
// CI looks at a light desk and a dark phone, `make test-all` at all four.
import { AxeBuilder } from '@axe-core/playwright';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { HTML, PAGE, SHOTS, disk, expect, listen } from './room.ts';

const VIEWS = {
  welcome: disk(PAGE),
  watch: disk(HTML, '#view=watch&panel=query&at=3000000000'),
  flow: disk(HTML, '#view=watch&panel=flow&flow=3&at=3000000000'),
  packet: disk(HTML, '#view=watch&panel=packet&packet=200&at=300000000'),
  switch: disk(HTML, '#view=watch&panel=switch&at=300000000'),
  distributions: disk(HTML, '#view=distributions'),
  lab: disk(HTML, '#view=lab'),
  help: disk(HTML, '#view=watch&at=300000000'),
};

for (const [name, address] of Object.entries(VIEWS)) {
  for (const [width, height] of [[1280, 800], [390, 844]] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const often = (width === 1280) === (colorScheme === 'light');
      test(`${name} at ${width} px, ${colorScheme}`, { tag: often ? [] : ['@slow'] }, async ({ browser }) => {
        const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
        const page = await context.newPage();
        const wrong = listen(page);
        await page.goto(address);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.getByRole('heading', { level: 2 }).first()).toBeAttached();
        if (name === 'help') {
          await page.keyboard.press('?');
          await expect(page.getByRole('dialog')).toBeVisible();
        }
        // Its charts, too, where it is longer than the window; a dialog is seen in the window alone.
        await page.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: name !== 'help' });
        expect(await page.evaluate(() => document.documentElement.scrollWidth), 'the page scrolls sideways').toBeLessThanOrEqual(width);
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual([]);
        expect(wrong).toEqual([]);
        await context.close();
      });
    }
  }
}
