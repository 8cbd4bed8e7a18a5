/** Pictures of every form of the drawing, light and dark, at both sizes: `node bench/shots.mjs DIRECTORY [NAME]...`. With `RECORDINGS=/a.srec,/b.srec` of two
 * recordings as well, at the instant `AT` (ps). */
import { mkdir } from 'node:fs/promises';
import { withPages } from './browser.mjs';

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const SHOTS = {
  'fat-tree': [{ network: 'fat_tree,8', packets: 3000, transport: 1 }, WIDE],
  'fat-tree-dark': [{ network: 'fat_tree,8', packets: 3000, transport: 1, theme: 'dark' }, WIDE],
  'fat-tree-phone': [{ network: 'fat_tree,8', packets: 1000, transport: 1 }, PHONE],
  'fat-tree-phone-dark': [{ network: 'fat_tree,8', packets: 1000, transport: 1, theme: 'dark' }, PHONE],
  'fat-tree-4-path': [{ network: 'fat_tree,4', packets: 150, packet: 3, transport: 1 }, WIDE],
  'fat-tree-16': [{ network: 'fat_tree,16', packets: 3000 }, WIDE],
  'leaf-spine': [{ network: 'leaf_spine,8,4,40', packets: 2000, colouring: 'flow' }, WIDE],
  jellyfish: [{ network: 'jellyfish,64,6,2', packets: 1500 }, WIDE],
  'jellyfish-phone': [{ network: 'jellyfish,64,6,2', packets: 500, theme: 'dark' }, PHONE],
  hyperx: [{ network: 'hyperx,4,4,4', packets: 500 }, WIDE],
  tree: [{ network: 'tree,2,2,10', packets: 300 }, WIDE],
  testbed: [{ network: 'testbed', packets: 40 }, WIDE],
  dumbbell: [{ network: 'dumbbell,8,8', packets: 100 }, WIDE],
  linear: [{ network: 'linear,4,2', packets: 50 }, WIDE],
  'single-switch': [{ network: 'single_switch,8', packets: 40 }, WIDE],
  triangle: [{ network: 'triangle', packets: 40 }, WIDE],
  compare: [{ network: 'fat_tree,4', packets: 300, view: 'compare', transport: 1, query: 1 }, WIDE],
  'compare-phone': [{ network: 'fat_tree,4', packets: 300, view: 'compare', transport: 1, theme: 'dark' }, PHONE],
  live: [{ network: 'fat_tree,4', packets: 300, view: 'live' }, WIDE],
};

const { RECORDINGS: recordings, AT: at = '0' } = process.env;
if (recordings !== undefined) {
  SHOTS.recording = [{ recordings: recordings.split(',').at(-1), at, transport: 1 }, WIDE];
  SHOTS['recording-compare'] = [{ recordings, at, view: 'compare', transport: 1 }, WIDE];
  SHOTS['recording-phone'] = [{ recordings: recordings.split(',').at(-1), at, transport: 1, theme: 'dark' }, PHONE];
}

const [directory, ...names] = process.argv.slice(2);
if (directory === undefined) {
  console.error('expected: node bench/shots.mjs DIRECTORY [NAME]...');
  process.exit(2);
}
await mkdir(directory, { recursive: true });
await withPages(async (open) => {
  for (const [name, [settings, size]] of Object.entries(SHOTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const page = await open(settings, size);
    await page.waitForTimeout(900);
    await page.screenshot({ path: `${directory}/${name}.png` });
    await page.close();
    console.log(name);
  }
});
