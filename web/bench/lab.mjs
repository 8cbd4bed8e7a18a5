/**
 * How fast the page's simulator is beside the native one: packet-hops a second of processor time, in turn.
 *
 *   node bench/lab.mjs COMMAND [TURNS]
 *
 * COMMAND is a release build of `sidestep`. The module is the one of `scripts/wasm.sh --page`, run in node; neither records. Each turn makes
 * each scenario once here and once there, so that what else the machine does meets both. Prints the median of the ratios with
 * their range, and how long a result takes from the module's bytes on.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createServer } from 'vite';

const [command, turns = '7'] = process.argv.slice(2);
if (command === undefined) {
  console.error('bench/lab.mjs: expected a release build of sidestep, as in node bench/lab.mjs ../target/release/sidestep');
  process.exit(2);
}
const place = fileURLToPath(new URL('../src/engine/sidestep.wasm', import.meta.url));
const bytes = readFileSync(place);

const fatTree = (k) => `[topology]\nkind = "fat_tree"\nk = ${k}\n`;
const SCENARIOS = [
  {
    name: 'k=4, 6,000 queries a second, DCTCP',
    scheme: 'dctcp',
    toml: `duration = "100 ms"\nschemes = ["dctcp"]\n${fatTree(4)}[workload.query]\nkind = "query"\nrate = "6 k/s"\ndegree = 15\nsize = "20 kB"\n`,
  },
  {
    name: 'k=4, 6,000 queries a second, DIBS',
    scheme: 'dibs',
    toml: `duration = "100 ms"\nschemes = ["dibs"]\n${fatTree(4)}[workload.query]\nkind = "query"\nrate = "6 k/s"\ndegree = 15\nsize = "20 kB"\n`,
  },
  {
    name: 'k=8, dibs-demo of 100 ms, DIBS',
    scheme: 'dibs',
    toml:
      `duration = "100 ms"\nschemes = ["dibs"]\n${fatTree(8)}[workload.background]\nkind = "background"\n` +
      '[workload.query]\nkind = "query"\nrate = "300 /s"\ndegree = 40\nsize = "20 kB"\n',
  },
  {
    name: 'k=8, permutation of 10 ms, DCTCP',
    scheme: 'dctcp',
    toml: `duration = "10 ms"\ndrain = "0 s"\nschemes = ["dctcp"]\n${fatTree(8)}[workload.all]\nkind = "permutation"\n`,
  },
];
const INCAST =
  `duration = "1 ms"\nschemes = ["dibs"]\n${fatTree(4)}[workload.query]\nkind = "incast"\ndegree = 15\nsize = "40 kB"\n`;

const server = await createServer({
  root: fileURLToPath(new URL('..', import.meta.url)),
  server: { middlewareMode: true, watch: null },
  appType: 'custom',
  logLevel: 'error',
});
const { openSimulator } = await server.ssrLoadModule('/src/engine/lab.simulator.ts');

/** Processor time of this process in seconds: what else the machine does is not in it. */
function spent() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function run(simulator, toml, scheme, record) {
  simulator.begin({ toml, files: {} }, { scheme, seed: '1', record });
  const before = spent();
  let progress;
  do progress = simulator.step(1e9);
  while (!progress.over);
  const seconds = spent() - before;
  return { seconds, hops: progress.packet_hops, done: simulator.finish() };
}

function native(toml, scheme) {
  const room = mkdtempSync(join(tmpdir(), 'sidestep-lab-'));
  try {
    writeFileSync(join(room, 's.toml'), toml);
    const out = join(room, 'r');
    execFileSync(command, ['run', join(room, 's.toml'), '--out', out, '--no-cache', '--jobs', '1'], { stdio: 'ignore' });
    const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')).schemes[scheme];
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    return { speed: summary.hops_per_cpu_s, hash: manifest.runs[0].trajectory_hash };
  } finally {
    rmSync(room, { recursive: true });
  }
}

const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
const range = (all, digits = 2) =>
  `${median(all).toFixed(digits)} (${Math.min(...all).toFixed(digits)}..${Math.max(...all).toFixed(digits)})`;

const simulator = await openSimulator(bytes);
// The first runs are before the module is optimised.
for (const { toml, scheme } of SCENARIOS) run(simulator, toml, scheme, false);
console.log('| Scenario | Packet-hops | WebAssembly, M/s | Native, M/s | WebAssembly over native |');
console.log('|---|---|---|---|---|');
for (const { name, toml, scheme } of SCENARIOS) {
  const [here, there, ratios] = [[], [], []];
  let hops = 0;
  for (let turn = 0; turn < Number(turns); turn += 1) {
    const mine = run(simulator, toml, scheme, false);
    const theirs = native(toml, scheme);
    if (mine.done.hash !== theirs.hash) throw new Error(`${name}: ${mine.done.hash} here, ${theirs.hash} there`);
    hops = mine.hops;
    here.push(mine.hops / mine.seconds / 1e6);
    there.push(theirs.speed / 1e6);
    ratios.push(mine.hops / mine.seconds / theirs.speed);
  }
  console.log(`| ${name} | ${hops.toLocaleString('en')} | ${range(here, 1)} | ${range(there, 1)} | ${range(ratios)} |`);
}

// From the module's bytes to a recording, part by part: real time, and processor time of all threads.
const STEPS = {
  'start the module': [0, 1],
  'list what there is': [1, 2],
  'check and run a k=4 incast, recorded': [2, 3],
  all: [0, 3],
};
const empty = () => Object.fromEntries(Object.keys(STEPS).map((name) => [name, []]));
const [parts, spans] = [empty(), empty()];
for (let turn = 0; turn < Number(turns); turn += 1) {
  const marks = [[performance.now(), spent()]];
  const mark = () => marks.push([performance.now(), spent()]);
  const fresh = await openSimulator(bytes);
  mark();
  fresh.lists();
  mark();
  fresh.check({ toml: INCAST, files: {} });
  run(fresh, INCAST, 'dibs', true);
  mark();
  const between = (from, to, at) => marks[to][at] - marks[from][at];
  for (const [name, [from, to]] of Object.entries(STEPS)) {
    parts[name].push(between(from, to, 0));
    spans[name].push(between(from, to, 1) * 1000);
  }
}
console.log('\n| First result | Real time, ms | Processor time, ms |\n|---|---|---|');
for (const name of Object.keys(parts)) console.log(`| ${name} | ${range(parts[name], 0)} | ${range(spans[name], 0)} |`);
console.log(`module: ${statSync(place).size.toLocaleString('en')} bytes, ${gzipSync(bytes, { level: 9 }).length.toLocaleString('en')} packed`);
await server.close();
