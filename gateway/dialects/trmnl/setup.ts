/** The setup call: an adopted frame is given its key, everybody else is seen and waits. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setupAnswer, waitAnswer } from '../../../firmware-protocol/trmnl/answers.ts';
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { addressOfSerial } from '../../../firmware-protocol/trmnl/mac-address.ts';
import { commandName } from '../../../runtime/command-here.ts';
import { type Transaction, transact } from '../../../runtime/database.ts';
import { giveKey } from '../../adoption/frame-keys.ts';
import { noteAsking } from '../../adoption/waiting-frames.ts';
import { frameRegistry } from '../../frames/registry.ts';
import { polledPrefix } from '../../pictures/upload-row.ts';
import type { PolledDeps } from '../dialect.ts';
import { sayJson } from './say.ts';

/** Answers a setup call. A key goes out once it is stored. */
export async function answerSetup(
  deps: PolledDeps & { readonly setupPathFor: (call: TrmnlCall) => string },
  call: TrmnlCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const key = await transact(deps.db, (trx) => keyFor(deps, trx, call, request));
  const address = addressOfSerial(call.serial) ?? call.serial;
  if (key === undefined) {
    return sayJson(response, 200, waitAnswer(`${address} waits to be adopted: ${commandName} frames adopt ${address}`));
  }
  const imageUrl = `${deps.toldAddress(request)}${polledPrefix}${deps.setupPathFor(call)}`;
  const friendlyId = address.replaceAll(':', '').slice(-6);
  sayJson(
    response,
    200,
    setupAnswer({ apiKey: key, friendlyId, imageUrl, message: 'Adopted: the first picture is coming.' }),
  );
}

async function keyFor(
  { clock, random, addressOf, asksForKey }: PolledDeps,
  trx: Transaction,
  call: TrmnlCall,
  request: IncomingMessage,
): Promise<string | undefined> {
  const now = clock.now();
  const address = addressOf?.(request);
  const { serial } = call;
  const known = await frameRegistry(trx).find(serial);
  if (known?.activation === 'activated') {
    const key = await giveKey(trx, serial, known.ownership, { now, random });
    if (key !== undefined) return key;
  }
  await noteAsking(trx, call, address, now);
  if ((await asksForKey?.(trx, { serial, address })) !== true) return undefined;
  const { ownership } = await frameRegistry(trx).known(serial);
  return giveKey(trx, serial, ownership, { now, random });
}
