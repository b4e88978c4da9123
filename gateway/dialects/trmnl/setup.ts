/** The setup call: an adopted frame is given its key, everybody else is seen and waits. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setupAnswer, waitAnswer } from '../../../firmware-protocol/trmnl/answers.ts';
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { addressOfSerial } from '../../../firmware-protocol/trmnl/mac-address.ts';
import { type Transaction, transact } from '../../../runtime/database.ts';
import { giveKey } from '../../adoption/frame-keys.ts';
import { noteAsking } from '../../adoption/waiting-frames.ts';
import { frameRegistry } from '../../frames/registry.ts';
import type { PolledDeps } from '../dialect.ts';
import { say } from './say.ts';
import { setupSheetPath } from './waiting-picture.ts';

/** Answers a setup call. A key goes out once it is stored. */
export async function answerSetup(
  deps: PolledDeps,
  call: TrmnlCall,
  prefix: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const key = await transact(deps.db, (trx) => keyFor(deps, trx, call, request));
  const address = addressOfSerial(call.serial) ?? call.serial;
  if (key === undefined) {
    return say(response, 200, waitAnswer(`${address} waits to be adopted: papergate frames adopt ${address}`));
  }
  const imageUrl = `${deps.publicUrl()}${prefix}${setupSheetPath}`;
  const friendlyId = address.replaceAll(':', '').slice(-6);
  say(
    response,
    200,
    setupAnswer({ apiKey: key, friendlyId, imageUrl, message: 'Adopted: the first picture is coming.' }),
  );
}

async function keyFor(
  { clock, random, addressOf }: PolledDeps,
  trx: Transaction,
  call: TrmnlCall,
  request: IncomingMessage,
): Promise<string | undefined> {
  const now = clock.now();
  const frame = await frameRegistry(trx).find(call.serial);
  const isOwned = frame?.activation === 'activated';
  const key = isOwned ? await giveKey(trx, frame.serial, frame.ownership, now, random) : undefined;
  if (key === undefined) await noteAsking(trx, call, addressOf?.(request), now);
  return key;
}
