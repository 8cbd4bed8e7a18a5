/** Makes what the tests look at, anew each time: an incast into queues of 40 packets, in which
 * DCTCP, with senders as of its paper, drops and waits for timeouts and DIBS detours, and one file with both runs. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { HTML, PAGE, RESULT, SHOTS, sidestep } from './room.ts';

export default function setup(): void {
  rmSync(dirname(RESULT), { recursive: true, force: true });
  mkdirSync(dirname(RESULT), { recursive: true });
  mkdirSync(SHOTS, { recursive: true });
  sidestep('run', 'quickstart', '--set', 'schemes=dctcp,dibs', '--set', 'switch.capacity=40 pkt',
    '--set', 'profile=none', '--set', 'workload.query.flows=1', '--set', 'workload.query.size=40 kB', '--seed', '1', '--record', '--no-cache', '--out', RESULT);
  sidestep('view', RESULT, '--page', PAGE, '--html', HTML);
}
