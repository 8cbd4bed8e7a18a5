/** Builds the page of `bench/page`, serves it on localhost, and opens Debian's Chromium, which renders in software. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { chromium } from 'playwright-core';
import { build, preview } from 'vite';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Calls `use` with a function that opens the page with these settings in a window of this size, and cleans up. */
export async function withPages(use) {
  const root = new URL('./page', import.meta.url).pathname;
  const outDir = await mkdtemp(join(tmpdir(), 'sidestep-page-'));
  await build({ root, configFile: false, plugins: [svelte()], logLevel: 'error', build: { outDir, emptyOutDir: true, target: 'es2022' } });
  const server = await preview({ root, configFile: false, logLevel: 'error', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
  try {
    await use(async (settings, size, more = {}) => {
      const page = await browser.newPage({ viewport: size, ...more });
      page.on('pageerror', (error) => console.error(`page error: ${error.message}`));
      page.on('console', (message) => message.type() === 'error' && console.error(`console: ${message.text()}`));
      await page.goto(`${server.resolvedUrls.local[0]}?${new URLSearchParams(settings)}`);
      await page.waitForSelector('.stage canvas');
      return page;
    });
  } finally {
    await browser.close();
    await server.close();
    await rm(outDir, { recursive: true, force: true });
  }
}
