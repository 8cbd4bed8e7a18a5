import { svelte } from '@sveltejs/vite-plugin-svelte';
import { viteSingleFile } from 'vite-plugin-singlefile';
import { defineConfig } from 'vitest/config';
import { csp } from './csp.ts';

// One file that works from disk: scripts, styles, the WebAssembly module and the worker are inside it.
export default defineConfig({
  plugins: [svelte(), viteSingleFile(), csp()],
  build: { target: 'es2022', assetsInlineLimit: Number.MAX_SAFE_INTEGER, cssCodeSplit: false },
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  test: { environment: 'jsdom', include: ['test/**/*.test.ts', 'src/**/*.test.ts'], setupFiles: ['test/setup.ts'], testTimeout: 60_000 },
});
