// `sidestep view` in a browser: who has the address sees the page, who has less sees nothing.
import { RESULT, expect, test, view } from './room.ts';

test('the address opens the page with both recordings, and Ctrl-C ends it', async ({ page }) => {
  const served = await view(RESULT);
  expect(served.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
  await page.goto(served.address);
  await expect(page.getByRole('main')).toContainText('dctcp');
  await expect(page.getByRole('main')).toContainText('dibs');
  expect(await served.end()).toBe(0);
});

test('another page can neither read it, nor show it in a frame', async ({ page, browser }) => {
  const served = await view(RESULT);
  const foreign = await browser.newPage();
  await foreign.goto('about:blank');
  const read = (path: string, mode: RequestMode) =>
    foreign.evaluate(
      ([url, mode]) => fetch(url as string, { mode: mode as RequestMode }).then((answer) => answer.type + answer.status, () => 'refused'),
      [served.address + path, mode],
    );
  for (const path of ['', 'bundle.json', 'recordings/0.srec']) {
    expect(await read(path, 'cors')).toBe('refused');
    expect(await read(path, 'no-cors')).toBe('refused');
  }
  await foreign.setContent(`<iframe src="${served.address}"></iframe>`);
  const frame = foreign.frames()[1];
  await expect.poll(() => frame?.url()).not.toBe('');
  expect(await frame?.evaluate(() => document.querySelector('#app')).catch(() => null)).toBeNull();
  await foreign.close();
  // Without its token, and with another host that leads here.
  const { port } = new URL(served.address);
  const without = await page.request.get(`http://127.0.0.1:${port}/bundle.json`);
  expect(without.status()).toBe(403);
  const rebound = await page.request.get(`${served.address}bundle.json`, { headers: { Host: 'evil.example' } });
  expect(rebound.status()).toBe(421);
  await served.end();
});
