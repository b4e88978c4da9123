/**
 * Savings of a frame that keeps its TLS session over its sleep: bytes, time from dialling to CONNACK over a network of 100 ms
 * there and back, and processor time of the frame in C: `node --import tsx test/bench/kept-sessions.ts`. Needs gcc and
 * libssl-dev. Least of ROUNDS (9).
 */
import { rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { sleeperIn } from '../gateway/sleeping-frame.ts';
import { withGateway } from '../gateway/world.ts';

const { ROUNDS = '9' } = process.env;
const oneWayMs = 50;

/** Passes bytes on, each later by the way through the network; a connection is open only after its way back. */
function slowly(from: Socket, to: Socket): void {
  from.on('error', () => to.destroy());
  from.on('data', (bytes) => void setTimeout(() => to.write(bytes), oneWayMs));
  from.on('close', () => void setTimeout(() => to.destroy(), oneWayMs));
}

await withGateway(async (world) => {
  const network = createServer({ noDelay: true, pauseOnConnect: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port: world.ports.tls, noDelay: true });
    slowly(far, near);
    // The frame's own connection to this proxy takes no time: what it takes through the network is added here.
    setTimeout(() => {
      slowly(near, far);
      near.resume();
    }, 2 * oneWayMs);
  });
  const port = await new Promise<number>((resolve) => {
    network.listen(0, '127.0.0.1', () => resolve((network.address() as { port: number }).port));
  });
  const frame = await sleeperIn(world);
  for (const version of ['1.2', '1.3'] as const) {
    for (const kind of ['full', 'resumed']) {
      const wakes: Awaited<ReturnType<typeof frame.wake>>[] = [];
      for (let round = 0; round < Number(ROUNDS); round++) {
        if (kind === 'full') await rm(frame.memory, { force: true });
        const wake = await frame.wake(version, port);
        if (wake.resumed !== Number(kind === 'resumed')) throw new Error(`a ${kind} handshake was asked for`);
        wakes.push(wake);
      }
      const least = (of: 'us' | 'cpuUs'): number => Math.min(...wakes.map((wake) => wake[of]));
      const { read, written, ticketBytes, sessionBytes } = wakes.at(-1) as (typeof wakes)[number];
      console.log(
        `TLS ${version} ${kind}: ${(least('us') / 1000).toFixed(0)} ms to CONNACK, ${least('cpuUs')} us CPU of the frame, ` +
          `${read} bytes to it, ${written} from it; ticket ${ticketBytes}, session ${sessionBytes} bytes`,
      );
    }
  }
  network.close();
});
