/** The surroundings of a source in a test: a server on loopback to which every name leads, and a clock that is set by hand. */
import type { ServerResponse } from 'node:http';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import type { SourceDeps } from '../../api/picture-sources/source.ts';
import { fakeNetwork, type Received, type Receiver, withReceiver } from '../callbacks/receiver.ts';
import { type HandClock, handClock } from '../integration/integration-world.ts';

export interface SourceWorld {
  readonly deps: SourceDeps;
  readonly clock: HandClock;
  readonly over: AbortController;
}

/** Opens a server, and closes it after the test. */
export function withSourceServer(
  answer: (request: Received, response: ServerResponse) => void,
  run: (world: SourceWorld & Receiver) => Promise<void>,
): Promise<void> {
  return withReceiver(answer, async (receiver) => {
    const clock = handClock();
    const over = new AbortController();
    const network = fakeNetwork(receiver.port, () => ['93.184.215.14']);
    const follow = { wayOut: openWayOut({ network, clock }), home: noHomeNetworks };
    await run({ ...receiver, clock, over, deps: { follow, clock, sharer: ['house'], signal: over.signal } });
  });
}
