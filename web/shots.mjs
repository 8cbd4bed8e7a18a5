// Pictures of the page for README.md, made from a recording: docs/images/page.png, and docs/images/detour.webp, in which a packet is detoured.
//
//   node web/shots.mjs      after scripts/web.sh --e2e, whose packages and recordings it takes
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOP = resolve(import.meta.dirname, '..');
const require = createRequire(join(TOP, 'web/e2e/package.json'));
const { chromium } = require('@playwright/test');
const sharp = require('sharp');

const SIDESTEP = process.env.SIDESTEP ?? join(TOP, 'target/debug/sidestep');
const RESULT = join(TOP, 'target/web/e2e/result');
const HTML = pathToFileURL(join(TOP, 'target/web/e2e/incast.html')).href;
const IMAGES = join(TOP, 'docs/images');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Of the animated picture: how many frames, how long one is shown, in milliseconds, and its width. */
const FRAMES = 40;
const SHOWN = 80;
const WIDTH = 640;

/** Every event of DIBS that was recorded. */
const { events } = JSON.parse(
  execFileSync(SIDESTEP, ['show', RESULT, '--recording', '--scheme', 'dibs', '--seed', '1', '--during', '0 s..1 s', '--most', '1000000', '--json'], { encoding: 'utf8', maxBuffer: 1 << 30 }),
);
const detours = events.filter(({ event, port, wanted }) => event === 'enqueue' && port !== wanted);
const times = new Map();
for (const { packet } of detours) times.set(packet, (times.get(packet) ?? 0) + 1);
/** Of a packet with one detour, if there is such a one: its path can be read. */
const detour = detours.find(({ packet }) => times.get(packet) === 1) ?? detours[0];
if (!detour) throw new Error('DIBS detoured nothing in the recording');
const own = events.filter(({ event, packet }) => packet === detour.packet && event !== 'send');
const [begin, end] = [detour.at_ps - 15e6, Math.min(own.at(-1).at_ps + 5e6, detour.at_ps + 400e6)];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', deviceScaleFactor: 1 });
page.setDefaultTimeout(120_000);

/** Shows a moment; resolves when it is drawn. */
async function show(at) {
  await page.evaluate(async (hash) => {
    location.hash = hash;
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  }, `#view=watch&panel=packet&side=1&packet=${detour.packet}&at=${Math.round(at)}`);
}

await page.goto(`${HTML}#view=watch&panel=query&at=${Math.round(detour.at_ps)}`);
const drawing = page.getByRole('application').nth(1);
await drawing.waitFor();
await show(detour.at_ps + 2e6);
await page.getByRole('tab', { name: 'Query' }).click();
await page.screenshot({ path: join(IMAGES, 'page.png') });

// Of one size: the words below the drawing change its height with theirs, and are no part of the picture.
await page.evaluate(async () => {
  for (const words of document.querySelectorAll('.network > .words')) words.hidden = true;
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
});
const clip = await drawing.boundingBox();
const frames = [];
for (let i = 0; i < FRAMES; i++) {
  await show(begin + ((end - begin) * i) / (FRAMES - 1));
  frames.push(await sharp(await page.screenshot({ clip })).resize({ width: WIDTH }).png().toBuffer());
}
await browser.close();
const moving = join(IMAGES, 'detour.webp');
await sharp(frames, { join: { animated: true } }).webp({ loop: 0, delay: frames.map(() => SHOWN), quality: 70, effort: 6 }).toFile(moving);
for (const file of [join(IMAGES, 'page.png'), moving]) console.log(`${file}: ${(statSync(file).size / 1000).toFixed(0)} kB`);
