/** The setup call: an adopted frame is given its key, everybody else is seen and waits. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setupAnswer, waitAnswer } from '../../../firmware-protocol/trmnl/answers.ts';
import type { TrmnlCall } from '../../../firmware-protocol/trmnl/headers.ts';
import { addressOfSerial } from '../../../firmware-protocol/trmnl/mac-address.ts';
import { commandName } from '../../../runtime/command-here.ts';
import { type Transaction, transact } from '../../../runtime/database/database.ts';
import { inBackground } from '../../../runtime/in-background.ts';
import { giveKey, isKeyed, keyArrived } from '../../adoption/frame-keys.ts';
import { askerOf, codeOfAsker, noteAsking } from '../../adoption/waiting-frames.ts';
import { frameRegistry } from '../../frames/registry.ts';
import { sentWhole } from '../../pictures/sent-whole.ts';
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
  const { key, code, givenAt } = await transact(deps.db, (trx) => keyFor(deps, trx, call, request));
  const address = addressOfSerial(call.serial) ?? call.serial;
  if (key === undefined) {
    const command = `${commandName} frames adopt ${address}`;
    return sayJson(response, 200, waitAnswer(`${address} waits to be adopted (code ${code}): ${command}`));
  }
  const imageUrl = `${deps.toldAddress(request)}${polledPrefix}${deps.setupPathFor(call)}`;
  const friendlyId = address.replaceAll(':', '').slice(-6);
  const told = setupAnswer({ apiKey: key, friendlyId, imageUrl, message: 'Adopted: the first picture is coming.' });
  const arrived = sentWhole(response, Buffer.byteLength(told), deps.clock);
  sayJson(response, 200, told, { connection: 'close' });
  inBackground(deps.logger, 'note that a key arrived', async () => {
    if ((await arrived) !== undefined) await keyArrived(deps.db, call.serial, givenAt, deps.clock.now());
  });
}

/** The key of the frame that asks, or the code by which people tell it from others that give the same name. */
interface SetupOutcome {
  readonly key: string | undefined;
  readonly code: string;
  readonly givenAt: number;
}

async function keyFor(
  { clock, random, addressOf, asksForKey }: PolledDeps,
  trx: Transaction,
  call: TrmnlCall,
  request: IncomingMessage,
): Promise<SetupOutcome> {
  const now = clock.now();
  const address = addressOf?.(request);
  const { serial } = call;
  const known = await frameRegistry(trx).find(serial);
  const isOurs = known?.activation === 'activated';
  // T-109: a key that is not the frame's is nothing that its next adoption could take.
  const asking = askerOf(known !== undefined && isKeyed(known) ? undefined : call.token, address);
  const code = codeOfAsker(serial, asking);
  if (isOurs) {
    const key = await giveKey(trx, known, asking, { now, random });
    if (key !== undefined) return { key, code, givenAt: now };
  }
  await noteAsking(trx, call, asking, now);
  if (isOurs || (await asksForKey?.(trx, { serial, address })) !== true) return { key: undefined, code, givenAt: now };
  const frame = await frameRegistry(trx).known(serial);
  return { key: await giveKey(trx, frame, asking, { now, random }), code, givenAt: now };
}
