/** T-109: anyone who knows the address of a frame cannot impersonate it, nor keep it from its key. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registerAdopted } from '../../gateway/adoption/adopt-frame.ts';
import { waitingFrames } from '../../gateway/adoption/waiting-frames.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { transact } from '../../runtime/database/database.ts';
import { adopt, adopted, serialOf, sleep, type TrmnlFrame, trmnlFrame } from './trmnl-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('whoever knows the address of a frame');

const home = '192.168.1.20';
const elsewhere = '192.168.1.66';
const forged = 'a-key-that-a-stranger-says';

/** Somebody else who names the address of a frame, from another place in the network. */
function stranger(world: GatewayWorld, { mac }: TrmnlFrame, from = elsewhere): TrmnlFrame {
  const other = trmnlFrame(world, mac);
  other.from = from;
  other.key = forged;
  return other;
}

const waiting = (world: GatewayWorld) => waitingFrames(world.db, world.clock.now());
const isWaiting = async (frame: TrmnlFrame): Promise<boolean> =>
  /^pgate-wait/.test(String((await frame.ask()).body.filename));

async function refusalOf(act: Promise<unknown>): Promise<Refusal> {
  const error = await act.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, Refusal);
  return error as Refusal;
}

const keyArrives = (world: GatewayWorld, serial: string) =>
  until(
    async () => (await world.db('frame_keys').where({ serial }).first('taken_at'))?.taken_at !== null,
    'the answer with the key arrives',
  );

/** Hangs a frame that asks from home. */
function hung(world: GatewayWorld): TrmnlFrame {
  const frame = trmnlFrame(world);
  frame.from = home;
  return frame;
}

test('a key that a stranger said before the adoption is not the frame’s, whichever of the two is adopted', () =>
  withGateway(async (world) => {
    const frame = hung(world);
    const thief = stranger(world, frame);
    await thief.ask();
    const { text } = await frame.setup();
    const rows = await waiting(world);
    assert.equal(rows.map(({ address, others, token_hash }) => [address, others, token_hash !== null]).sort(), [
      [home, 1, false],
      [elsewhere, 1, true],
    ]);
    const refused = await refusalOf(adopt(world, frame));
    assert.is(refused.code, 'conflict');
    assert.match(refused.message, /2 devices use the address AA:BB:CC:00:11:22/);
    assert.match(String(refused.hint), /--asker/);
    // The frame shows its code, by which its owner tells the two apart.
    const meant = rows.find(({ address }) => address === home);
    assert.match(text, new RegExp(`code ${meant?.asker}`));
    const serial = await adopt(world, frame, undefined, meant?.asker);
    const upload = await world.offer(serial, 'one');
    assert.ok(await isWaiting(thief), 'what it said is no key');
    assert.is((await thief.setup()).body.status, 404, 'nor is it given one');
    assert.is((await frame.setup()).body.status, 200);
    assert.match(String((await frame.wake()).body.filename), /^pgate-[0-9a-f]{6}-/);
    sleep(world, frame);
    await frame.wake();
    assert.equal(await world.lacks(upload), []);
  }));

test('a device that asked alone is adopted without a word, also after another one was silent for an hour', () =>
  withGateway(async (world) => {
    const frame = hung(world);
    await stranger(world, frame).ask();
    world.clock.passes(3_600_000);
    await frame.setup();
    assert.equal(
      (await waiting(world)).map(({ others }) => others),
      [0, 1],
    );
    await adopt(world, frame);
    assert.ok(await isWaiting(stranger(world, frame)));
    assert.is((await frame.setup()).body.status, 200);
  }));

test('a key goes to where the frame was seen to ask, once, however often and from wherever somebody asks', () =>
  withGateway(async (world) => {
    const frame = hung(world);
    await frame.setup();
    const serial = await adopt(world, frame);
    await world.offer(serial, 'one');
    const thief = stranger(world, frame);
    for (let asks = 0; asks < 3; asks++) assert.is((await thief.setup()).body.status, 404);
    assert.is((await frame.setup()).body.status, 200);
    // Whoever is behind the same address comes too late.
    const neighbour = stranger(world, frame, home);
    for (let asks = 0; asks < 3; asks++) assert.is((await neighbour.setup()).body.status, 404);
    await keyArrives(world, serial);
    world.clock.passes(16 * 60_000);
    assert.is((await neighbour.setup()).body.status, 404, 'the answer with the key was seen to arrive');
    assert.not(await isWaiting(frame), 'the key that was given first is the frame’s');
    assert.ok(await isWaiting(thief));
    assert.ok(await isWaiting(neighbour));
  }));

test('a frame whose answer with the key was lost is given another one, and no other device is', () =>
  withGateway(async (world) => {
    const frame = hung(world);
    await frame.setup();
    await world.offer(await adopt(world, frame), 'one');
    await frame.setupInVain();
    assert.is((await stranger(world, frame).setup()).body.status, 404);
    world.clock.passes(15 * 60_000);
    assert.is((await frame.setup()).body.status, 200);
    assert.not(await isWaiting(frame));
  }));

test('a wrong key of a frame that has its own is never listed, so that no adoption can take it', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    const thief = stranger(world, frame);
    assert.ok(await isWaiting(thief));
    assert.equal(await waiting(world), []);
    await adopt(world, frame);
    assert.ok(await isWaiting(thief), 'the next adoption takes nothing that was said before');
    assert.is((await thief.setup()).body.status, 404, 'and gives nothing to whoever asks next');
    assert.not(await isWaiting(frame), 'the frame goes on with the key that it has');
  }));

test('a frame that was reset asks for another key, and its former key opens nothing once it has that', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    const copy = stranger(world, frame);
    copy.key = frame.key;
    frame.key = undefined;
    frame.from = home;
    assert.is((await frame.setup()).body.status, 404);
    const [row] = await waiting(world);
    assert.equal([row?.address, row?.token_hash], [home, null]);
    await adopt(world, frame);
    assert.not(await isWaiting(copy), 'until then the old key is right');
    assert.is((await frame.setup()).body.status, 200, 'and its use takes nothing from the frame');
    assert.not(await isWaiting(frame));
    assert.ok(await isWaiting(copy));
  }));

test('many strangers under the name of a frame push out none that goes on asking, and its owner can still adopt it', () =>
  withGateway(async (world) => {
    const frame = hung(world);
    await frame.setup();
    for (let at = 0; at < 30; at++) {
      const thief = stranger(world, frame, `192.168.2.${at + 1}`);
      thief.key = `${forged}-${at}`;
      await thief.ask();
    }
    const rows = await waiting(world);
    assert.is(rows.length, 8);
    const meant = rows.find(({ address }) => address === home);
    assert.is((await refusalOf(adopt(world, frame))).code, 'conflict');
    assert.is((await refusalOf(adopt(world, frame, undefined, 'FFFFFF'))).code, 'not-found');
    await adopt(world, frame, undefined, meant?.asker);
    assert.is((await frame.setup()).body.status, 200);
  }));

test('a key of another server counts from where the device was seen with it, and nowhere else', () =>
  withGateway(async (world) => {
    const frame = hung(world);
    frame.key = 'a-key-of-another-server';
    await frame.ask();
    await world.offer(await adopt(world, frame), 'one');
    const thief = stranger(world, frame);
    thief.key = frame.key;
    assert.ok(await isWaiting(thief));
    assert.is((await stranger(world, frame, home).setup()).body.status, 404, 'that device needs no key of ours');
    assert.not(await isWaiting(frame));
  }));

test('a frame that calls too often gets its last answer again, and one that shows its key under another name does not', () =>
  withGateway(async (world) => {
    const { frame, serial } = await adopted(world);
    await world.offer(serial, 'one');
    await frame.wake();
    let told = await frame.ask();
    let answer = told;
    for (let calls = 0; answer.status === 200 && calls < 400; calls++) {
      told = answer;
      answer = await frame.ask();
    }
    assert.is(answer.status, 429);
    assert.equal(answer.body, told.body);
    assert.equal((await frame.ask()).body, told.body, 'the echo stays the same, too');
    const other = trmnlFrame(world, 'AA:BB:CC:00:11:77');
    await other.setup();
    await world.offer(await adopt(world, other), 'two');
    await other.setup();
    await other.wake();
    const key = other.key;
    other.key = frame.key;
    const early = await other.ask();
    assert.equal([early.status, early.text], [429, ''], 'a key that another frame showed tells nothing of this one');
    other.key = key;
    assert.is((await other.ask()).status, 200);
    assert.equal(await waiting(world), []);
    const before = (await world.events(serial, 'hello')).length;
    await frame.ask();
    assert.is((await world.events(serial, 'hello')).length, before, 'it is no wake');
    world.clock.passes(120_000);
    assert.is((await frame.ask()).status, 200);
  }));

test('a device is not adopted for a code that another one of its name has', () =>
  withGateway(async (world) => {
    const frame = hung(world);
    await frame.setup();
    const other = trmnlFrame(world, 'AA:BB:CC:00:11:33');
    other.from = home;
    await other.setup();
    const row = (await waiting(world)).find(({ serial }) => serial === serialOf(other));
    const asks = transact(world.db, (trx) =>
      registerAdopted(trx, world, { serial: serialOf(frame), asker: row?.asker }),
    );
    assert.is((await refusalOf(asks)).code, 'not-found');
  }));

test.run();
