/** Makes what the tests look at, anew each time: the runs of an incast under DCTCP and DIBS, and one file with both. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { HTML, PAGE, RESULT, SHOTS, sidestep } from './room.ts';

export default function setup(): void {
  rmSync(dirname(RESULT), { recursive: true, force: true });
  mkdirSync(dirname(RESULT), { recursive: true });
  mkdirSync(SHOTS, { recursive: true });
  sidestep('run', 'quickstart', '--set', 'schemes=dctcp,dibs', '--seed', '1', '--record', '--no-cache', '--out', RESULT);
  sidestep('view', RESULT, '--page', PAGE, '--html', HTML);
}
