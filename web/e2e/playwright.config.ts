// The page end to end, in the Chromium of this machine: scripts/web.sh --e2e.
import { defineConfig } from '@playwright/test';
import { FLAGS, ROOM, browser } from './room.ts';

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: `${ROOM}/playwright`,
  globalSetup: './setup.ts',
  // A busy machine is slow, not wrong: tests wait for states, and these end only what hangs.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  workers: 1,
  retries: 0,
  reporter: 'list',
  use: {
    actionTimeout: 60_000,
    navigationTimeout: 120_000,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    launchOptions: { executablePath: browser(), args: FLAGS, timeout: 120_000 },
  },
});
