/**
 * Frame times of the drawing: `node bench/frames.mjs [--seconds 8] [--recordings /a.srec,/b.srec]`.
 *
 * The page of `bench/page` plays in Debian's Chromium, which renders in software. *Interval* is the time from one frame of the screen to the next (16.7 ms
 * is what it can do at most); *script* is what the page's own code takes of it, by the clock. *CPU* is what
 * the browser's processes took for a frame, the page's and the one that rasters and composes: it depends little on who else works on the machine. *Growth* is memory of the page's heap after a forced collection, at the end
 * against the middle: what a page left alone would gain.
 */
import { loadavg } from 'node:os';
import { withPages } from './browser.mjs';

const WIDE = { width: 1280, height: 800 };
const CASES = [
  ['k=8, 10,000 packets', { network: 'fat_tree,8', packets: 10_000 }, WIDE],
  ['k=8, 1,000 packets', { network: 'fat_tree,8', packets: 1000 }, WIDE],
  ['k=8, two side by side, 10,000 each', { network: 'fat_tree,8', packets: 10_000, view: 'compare' }, WIDE],
  ['k=4, 200 packets', { network: 'fat_tree,4', packets: 200 }, WIDE],
  ['k=8, 10,000 packets, phone', { network: 'fat_tree,8', packets: 10_000 }, { width: 390, height: 844 }],
];

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const seconds = Number(option('seconds', '8'));
const recordings = option('recordings', '');
if (recordings !== '') {
  if (recordings.includes(',')) CASES.unshift(['two recordings', { recordings, view: 'compare' }, WIDE]);
  CASES.unshift(['recording', { recordings }, WIDE]);
}
if (!(seconds > 0)) {
  console.error(`--seconds: expected a number above 0, got ${JSON.stringify(option('seconds', '8'))}`);
  process.exit(2);
}

/** In the page: plays for so long and gives the intervals and what scripts took, in ms. */
async function measure(seconds) {
  const intervals = [];
  const scripts = [];
  const { clock } = window;
  const tick = window.requestAnimationFrame;
  // What callbacks of one frame take together, wherever they come from.
  window.requestAnimationFrame = (call) =>
    tick.call(window, (now) => {
      const begin = performance.now();
      call(now);
      scripts.push(performance.now() - begin);
    });
  const whole = clock.to - clock.from;
  // About 2 % of it a second, as somebody would watch a burst.
  clock.setSpeed(whole / 50);
  clock.setLoop({ from: clock.from + whole * 0.1, to: clock.from + whole * 0.9 });
  clock.play();
  await new Promise((done) => {
    let [first, last] = [0, 0];
    const step = (now) => {
      if (first === 0) first = now;
      else intervals.push(now - last);
      last = now;
      if (now - first < seconds * 1000) tick.call(window, step);
      else done();
    };
    tick.call(window, step);
  });
  clock.pause();
  window.requestAnimationFrame = tick;
  return { intervals, scripts };
}

const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const three = (values) => [0.5, 0.95, 0.99].map((share) => quantile(values, share).toFixed(1).padStart(6)).join(' ');

console.log(`load of the machine before: ${loadavg()[0].toFixed(1)}`);
console.log(`${''.padEnd(38)}frames/s   interval, ms p50 p95 p99   script, ms p50 p95 p99   CPU a frame, ms: page, raster   growth, kB`);
await withPages(async (open, cpu) => {
  for (const [name, settings, size] of CASES) {
    const page = await open(settings, size);
    const session = await page.context().newCDPSession(page);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    await page.evaluate(measure, 1);
    const middle = await heap();
    const before = await cpu();
    const { intervals, scripts } = await page.evaluate(measure, seconds);
    const after = await cpu();
    const each = ['renderer', 'GPU'].map((type) => ((after[type] - before[type]) / intervals.length).toFixed(1).padStart(5)).join(' ');
    const growth = (await heap()) - middle;
    const rate = intervals.length / (intervals.reduce((sum, n) => sum + n, 0) / 1000);
    console.log(`${name.padEnd(38)}${rate.toFixed(1).padStart(8)}   ${three(intervals)}      ${three(scripts)}       ${each}      ${(growth / 1000).toFixed(0).padStart(6)}`);
    await page.close();
  }
});
console.log(`load of the machine after: ${loadavg()[0].toFixed(1)}`);
