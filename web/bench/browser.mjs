/** Builds the page of `bench/page`, serves it on localhost, and opens Debian's Chromium, which renders in software. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { chromium } from 'playwright-core';
import { build, preview } from 'vite';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Calls `use` with a function that opens the page with these settings in a window of this size, and one that tells the browser's CPU time; cleans up. */
export async function withPages(use) {
  const root = new URL('./page', import.meta.url).pathname;
  const outDir = await mkdtemp(join(tmpdir(), 'sidestep-page-'));
  await build({ root, configFile: false, plugins: [svelte()], logLevel: 'error', build: { assetsInlineLimit: Number.MAX_SAFE_INTEGER, outDir, emptyOutDir: true, target: 'es2022' } });
  const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
  const system = await browser.newBrowserCDPSession();
  // Milliseconds of CPU that all processes of the browser took until now: it does not depend on who else works on the machine.
  const cpu = async () => {
    const { processInfo } = await system.send('SystemInfo.getProcessInfo');
    return Object.fromEntries(['browser', 'renderer', 'GPU'].map((type) => [type, 1000 * processInfo.filter((p) => p.type === type).reduce((sum, p) => sum + p.cpuTime, 0)]));
  };
  try {
    await use(async (settings, size, more = {}) => {
      const page = await browser.newPage({ viewport: size, ...more });
      page.on('pageerror', (error) => console.error(`page error: ${error.message}`));
      page.on('console', (message) => message.type() === 'error' && console.error(`console: ${message.text()}`));
      // Files that are asked for by `recordings` are read from this machine.
      await page.route((url) => url.pathname.endsWith('.srec'), (route) => route.fulfill({ path: decodeURIComponent(new URL(route.request().url()).pathname) }));
      await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
      await page.goto(`${server.resolvedUrls.local[0]}?${new URLSearchParams(settings)}`);
      await page.waitForSelector('.stage canvas');
      return page;
    }, cpu);
  } finally {
    await browser.close();
    await server.close();
    await rm(outDir, { recursive: true, force: true });
  }
}
