/**
 * The lab's worker. The page compiles the module once and hands it over, so that its bytes are in the page once.
 */
import type { ToWorker } from './lab.protocol.ts';
import { LabServer } from './lab.server.ts';
import { openSimulator } from './lab.simulator.ts';

/** A message to oneself comes after those that wait, and at once; timers are slowed down to 4 ms. */
const channel = new MessageChannel();
const waiting: (() => void)[] = [];
channel.port1.onmessage = () => waiting.shift()?.();

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (ms >= 1) {
      setTimeout(resolve, ms);
      return;
    }
    waiting.push(resolve);
    channel.port2.postMessage(null);
  });
}

const server = new LabServer({
  send: (message, transfer) => self.postMessage(message, { transfer }),
  now: () => performance.now(),
  pause,
  open: openSimulator,
});

self.onmessage = (event: MessageEvent<ToWorker>) => void server.hear(event.data);
