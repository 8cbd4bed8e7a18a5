// What a recording costs in WebAssembly: `node bench/player.mjs FILE.srec [module]` prints a table. Nothing else should run meanwhile.
import { readFileSync } from 'node:fs';

const [file, at = new URL('../src/engine/sidestep.wasm', import.meta.url)] = process.argv.slice(2);
if (file === undefined) {
  console.error('bench/player.mjs: expected a recording, as in: node bench/player.mjs results/mine/recordings/dibs-1.srec');
  process.exit(2);
}
const { instance } = await WebAssembly.instantiate(readFileSync(at), {});
const m = instance.exports;

function put(bytes) {
  const place = m.sidestep_allocate(bytes.length);
  new Uint8Array(m.memory.buffer, place, bytes.length).set(bytes);
  return [place, bytes.length];
}

function call(method, args = {}, bytes = new Uint8Array()) {
  const text = [method, JSON.stringify(args)].map((word) => put(Buffer.from(word)));
  const status = m.sidestep_call(...text.flat(), ...put(bytes));
  text.forEach((range) => m.sidestep_release(...range));
  const [place, length] = new Uint32Array(m.memory.buffer, m.sidestep_answer(), 2);
  const json = Buffer.from(m.memory.buffer, place, length).toString();
  if (status !== 0) throw new Error(json);
  return JSON.parse(json);
}

// Of the processor, so that others on the machine count less.
function timed(ask) {
  const began = process.cpuUsage();
  const answer = ask();
  const { user, system } = process.cpuUsage(began);
  return [(user + system) / 1e3, answer];
}

const rows = [];
const row = (what, times) => {
  const sorted = times.toSorted((a, b) => a - b);
  const part = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2);
  rows.push([what, String(times.length), part(0.5), part(0.95), part(1)]);
};

const bytes = readFileSync(file);
const opens = [];
let opened;
for (let i = 0; i < 3; i++) {
  if (opened) call('player.close', { player: opened.player });
  const [took, answer] = timed(() => call('player.open', {}, bytes));
  opens.push(took);
  opened = answer;
}
row(`open ${(bytes.length / 1e6).toFixed(1)} MB`, opens);
const { player, head, tail } = opened;
const events = tail.counts.reduce((sum, count) => sum + count.events, 0);

function play(what, from, step, span, count) {
  let most = 0;
  let all = 0;
  const times = [];
  for (let i = 0; i < count && from + i * step < tail.to; i++) {
    const [took, view] = timed(() => m.sidestep_frame(player, from + i * step, span));
    const [, moving, packets] = new Uint32Array(m.memory.buffer, view, 3);
    const ports = new Uint32Array(m.memory.buffer, packets, head.network.links.length);
    const waiting = ports.reduce((sum, n) => sum + n, 0);
    [most, all] = [Math.max(most, moving), Math.max(all, moving + waiting)];
    if (i > 0) times.push(took);
  }
  row(`${what} (at most ${most} on links, ${all} in all)`, times);
}
const middle = (head.from + tail.to) / 2;
play('frame, 1 µs on, span 100 µs', middle, 1e6, 1e8, 600);
play('frame, 10 µs on, span 100 µs', middle, 1e7, 1e8, 600);
play('frame, 100 µs on, span 1 ms', middle, 1e8, 1e9, 300);
play('frame, 10 µs back, span 100 µs', tail.to - 1e8, -1e7, 1e8, 60);
const jumps = Array.from({ length: 40 }, (_, i) => head.from + ((i * 0.618) % 1) * (tail.to - head.from));
row('frame anywhere, span 100 µs', jumps.map((at) => timed(() => m.sidestep_frame(player, at, 1e8))[0]));
row('next event', jumps.map((at) => timed(() => call('player.next', { player, at }))[0]));
const packets = jumps.map((_, i) => Math.floor((i * 0.618 % 1) * tail.packets));
row('journey', packets.map((id) => timed(() => call('player.journey', { player, id }))[0]));
const done = tail.queries.filter((query) => query.end !== null && query.end < tail.to).slice(0, 20);
row('query', done.map((query) => timed(() => call('player.query', { player, id: query.id }))[0]).concat(done.length ? [] : [0]));
row('flow', tail.flows.slice(0, 20).map((flow) => timed(() => call('player.flow', { player, id: flow.id }))[0]));
const edge = head.network.nodes.findIndex((node) => !node.host);
row('queues of a switch, whole, 1000 parts', [0, 1, 2].map(() => timed(() => call('player.queues', { player, id: edge, from: head.from, to: tail.to, buckets: 1000 }))[0]));
row('completions', [0, 1, 2].map(() => timed(() => call('player.completions', { player }))[0]));
console.log(`${events} events, ${head.network.links.length} ports, ${call('player.memory', { player })} bytes held, ${m.memory.buffer.byteLength} of memory`);
console.log(`| what | times | p50, ms | p95, ms | most, ms |\n|---|---|---|---|---|`);
for (const cells of rows) console.log(`| ${cells.join(' | ')} |`);
