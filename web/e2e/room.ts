/**
 * What the tests share: where things are, the command, a server that runs, and a page that hears of every error.
 */
import { test as base, expect, type Page } from '@playwright/test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOP = resolve(import.meta.dirname, '../..');
/** Where everything goes that the tests make. */
export const ROOM = join(TOP, 'target/web');
/** Pictures of what was tested. */
export const SHOTS = join(ROOM, 'shots');
/** The page under test. */
export const PAGE = join(TOP, 'web/dist/index.html');
/** A result directory with recordings of DCTCP and DIBS on one incast, made by `setup.ts`. */
export const RESULT = join(ROOM, 'e2e/result');
/** The page with those two recordings inside. */
export const HTML = join(ROOM, 'e2e/incast.html');
/** One recording of the two. */
export const RECORDING = join(RESULT, 'recordings/dctcp-1.srec');

export const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  // WebGL by the processor, and garbage collection when a test asks for it.
  '--enable-unsafe-swiftshader', '--js-flags=--expose-gc',
];

/** The browser that scripts/web.sh found. */
export function browser(): string {
  const found = process.env['CHROMIUM'];
  if (found === undefined) throw new Error('expected CHROMIUM to name a browser: run scripts/web.sh --e2e');
  return found;
}

/** The command that scripts/web.sh found. */
export function command(): string {
  const found = process.env['SIDESTEP'];
  if (found === undefined) throw new Error('expected SIDESTEP to name the command: run scripts/web.sh --e2e');
  return found;
}

/** Runs the command to its end; what it prints. */
export function sidestep(...words: string[]): string {
  return execFileSync(command(), words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });
}

/** A page that is served. */
export interface Served {
  address: string;
  /** Ends it as Ctrl-C does; its exit status. */
  end(): Promise<number | null>;
}

/** Serves these places until the test ends it. */
export async function view(...words: string[]): Promise<Served> {
  const child = spawn(command(), ['view', ...words, '--page', PAGE], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await firstLine(child);
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  return {
    address,
    end: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      const end = said.indexOf('\n');
      if (end >= 0) done(said.slice(0, end));
    });
    child.once('exit', (status) => fail(new Error(`sidestep view ended with ${status}: ${said}`)));
  });
}

/** A file's address. */
export function disk(path: string, fragment = ''): string {
  return pathToFileURL(path).href + fragment;
}

/** A test whose page may not complain, and may ask nobody: not the network, and from disk nothing at all. */
export const test = base.extend<{ quiet: void }>({
  quiet: [
    async ({ page }, use) => {
      const wrong = listen(page);
      await use();
      expect(wrong, 'errors on the console, and questions to the network').toEqual([]);
    },
    { auto: true },
  ],
});

/** Collects what a page should not do. */
export function listen(page: Page): string[] {
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') wrong.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data|blob|about):|^http:\/\/127\.0\.0\.1:/.test(request.url())) wrong.push(`asks for ${request.url()}`);
  });
  return wrong;
}

export { expect };
