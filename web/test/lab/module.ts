/** The module as `scripts/wasm.sh --page` makes it. Where it is not made, tests of it are skipped, and say so. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openSimulator } from '../../src/engine/lab.simulator.ts';
import type { RunOptions, Simulator, Written } from '../../src/engine/lab.protocol.ts';
import type { Done } from '../../src/engine/api.ts';

const PLACE = fileURLToPath(new URL('../../src/engine/sidestep.wasm', import.meta.url));

export const isMade = existsSync(PLACE);
if (!isMade) console.warn(`skipped: tests of the module, since ${PLACE} is not there: scripts/wasm.sh --page makes it`);

export function simulator(): Promise<Simulator> {
  return openSimulator(new Uint8Array(readFileSync(PLACE)));
}

/** Runs to the end, in steps of so many picoseconds. */
export function run(of: Simulator, written: Written, options: RunOptions, span = 1e9): Done {
  of.begin(written, options);
  while (!of.step(span).over);
  return of.finish();
}
