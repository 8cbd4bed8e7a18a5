// How large the page is: node size.mjs FILE. Without WebAssembly it may have 500 kB compressed, as a server would send it.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LIMIT = 500_000;
// A module begins with "\0asm", which is AGFzbQ in base64.
const MODULE = /AGFzbQ[A-Za-z0-9+/=]{1000,}/g;

const text = readFileSync(process.argv[2], 'utf8');
const modules = [...text.matchAll(MODULE)].map(([module]) => module);
const kB = (bytes) => `${(bytes / 1000).toFixed(0)} kB`;
const compressed = (of) => gzipSync(of, { level: 9 }).length;
const without = compressed(text.replaceAll(MODULE, ''));
const all = modules.map((module) => Buffer.from(module, 'base64'));
console.log(`page without WebAssembly: ${kB(without)} compressed, of ${kB(LIMIT)} allowed`);
for (const [i, module] of all.entries()) console.log(`WebAssembly ${i + 1} of ${all.length}: ${kB(module.length)}, ${kB(compressed(module))} compressed`);
console.log(`page as a file: ${kB(Buffer.byteLength(text))}, ${kB(compressed(text))} compressed`);
if (modules.length !== 1) {
  console.error(`expected a page with one WebAssembly module, got ${modules.length}`);
  process.exit(1);
}
if (without > LIMIT) {
  console.error(`expected a page below ${kB(LIMIT)} compressed, got ${kB(without)}`);
  process.exit(1);
}
