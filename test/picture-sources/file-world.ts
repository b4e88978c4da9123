/** Servers of pictures on loopback, and what a source makes of them. */
import type { ServerResponse } from 'node:http';
import type { HomeNetworks } from '../../api/outgoing/home-networks.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import {
  type ListedPicture,
  type ListingEnd,
  type PictureSource,
  type SourceDeps,
  SourceFault,
} from '../../api/picture-sources/source.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type FakeNetwork, fakeNetwork, type Received, type Receiver, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';

export interface PictureServer extends Receiver {
  readonly deps: SourceDeps;
  readonly network: FakeNetwork;
  readonly clock: ReturnType<typeof handClock>;
}

interface PictureServerOptions {
  readonly home?: HomeNetworks;
  readonly signal?: AbortSignal;
}

/** Opens a server under every public name, and the surroundings of a source that asks it. */
export function withPictureServer(
  answer: (request: Received, response: ServerResponse) => void,
  run: (server: PictureServer) => Promise<void>,
  { home = noHomeNetworks, signal = new AbortController().signal }: PictureServerOptions = {},
): Promise<void> {
  return withReceiver(answer, async (receiver) => {
    const clock = handClock();
    const network = fakeNetwork(receiver.port, () => ['93.184.215.14']);
    const follow = { wayOut: openWayOut({ network, clock }), home };
    await run({ ...receiver, network, clock, deps: { follow, clock, sharer: ['house'], signal } });
  });
}

/** Lists a source to its end. */
export async function listWhole(
  source: PictureSource,
  before?: string,
): Promise<{ readonly pictures: readonly ListedPicture[]; readonly pages: number; readonly end: ListingEnd }> {
  const pictures: ListedPicture[] = [];
  const listing = source.list(before);
  for (let pages = 0; ; pages++) {
    const { done, value } = await listing.next();
    if (done) return { pictures, pages, end: value };
    pictures.push(...value);
  }
}

/** Returns the fault that something ends with, as its kind and its words; every other error is thrown. */
export async function faultFrom(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'no fault';
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    const { kind, reason, waitSeconds } = error;
    return `${kind}: ${wordsOf(reason)}${waitSeconds === undefined ? '' : ` (${waitSeconds} s)`}`;
  }
}
