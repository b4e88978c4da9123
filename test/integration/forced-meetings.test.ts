/** Two at the same moment, made certain: each is held at a step until the other is there (T-28, T-30, INV-16). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NormalizedImage } from '../../api/images/normalize-image.ts';
import { heldBack, othersWait } from '../database.ts';
import type { CallAnswer } from './answer-calls.ts';
import { type Connected, connect, grantFor, push, type World, withWorld } from './integration-world.ts';

const test = suite('forced meetings');

/** A place where everybody waits until it is opened. */
function gate(): { arrived: () => number; pass: () => Promise<void>; open: () => void } {
  let open = (): void => {};
  let arrived = 0;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    arrived: () => arrived,
    pass: () => {
      arrived++;
      return opened;
    },
    open,
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const bodyOf = (text: string) => ({ messageId: 'one', text, imageBase64: Buffer.from('picture').toString('base64') });

/** Brings two submitters together at one step: both are held there, then both go on. */
type Meeting = (world: World, submit: readonly (() => Promise<CallAnswer>)[]) => Promise<CallAnswer[]>;

const paperOf = (world: World) => ({ id: world.paperId });

async function inTheirPictures(world: World, submit: readonly (() => Promise<CallAnswer>)[]): Promise<CallAnswer[]> {
  const reading = gate();
  readings.set(world, reading);
  const ended = submit.map((each) => each());
  await until(() => reading.arrived() === submit.length);
  reading.open();
  return Promise.all(ended);
}

async function inTheOrder(world: World, submit: readonly (() => Promise<CallAnswer>)[]): Promise<CallAnswer[]> {
  const { ended } = await heldBack(world.db, 'papers', paperOf(world), submit.length, () =>
    Promise.all(submit.map((each) => each())),
  );
  return ended;
}

/** Both have opened, or found, the intake, and store their files; the second overtakes the first. */
async function inTheFiles(
  world: World,
  [first, second]: readonly (() => Promise<CallAnswer>)[],
): Promise<CallAnswer[]> {
  if (first === undefined || second === undefined) throw new Error('two submit');
  const held = world.files.hold();
  const slow = first();
  await held.arrived;
  const quick = await second();
  held.release();
  return [await slow, quick];
}

/** Both have stored their files, and come to the paper's lock together. */
async function inTheAcceptance(world: World, submit: readonly (() => Promise<CallAnswer>)[]): Promise<CallAnswer[]> {
  const ended: Promise<CallAnswer>[] = [];
  const held: { release: () => void }[] = [];
  for (const each of submit) {
    const file = world.files.hold();
    const answer = each();
    ended.push(answer);
    // Who is refused before the files never gets there.
    await Promise.race([file.arrived, answer]);
    held.push(file);
  }
  const refused = await refusedAlready(ended);
  await world.db.transaction(async (trx) => {
    await trx('papers').where(paperOf(world)).forUpdate().first();
    for (const file of held) file.release();
    await othersWait(world.db, ended.length - refused);
  });
  return Promise.all(ended);
}

async function refusedAlready(ended: readonly Promise<CallAnswer>[]): Promise<number> {
  const now = await Promise.all(ended.map((each) => Promise.race([each, Promise.resolve(undefined)])));
  return now.filter((answer) => answer !== undefined).length;
}

async function oneAfterTheOther(_world: World, submit: readonly (() => Promise<CallAnswer>)[]): Promise<CallAnswer[]> {
  const answers: CallAnswer[] = [];
  for (const each of submit) answers.push(await each());
  return answers;
}

const meetings: Readonly<Record<string, Meeting>> = {
  'while their pictures are read': inTheirPictures,
  'at the paper’s order': inTheOrder,
  'while a file is stored': inTheFiles,
  'at the acceptance': inTheAcceptance,
  'not at all': oneAfterTheOther,
};

const readings = new Map<World, { pass: () => Promise<void> }>();

async function withSubmitter(run: (world: World, connected: Connected) => Promise<void>): Promise<void> {
  let here: World | undefined;
  const normalizeImage = async (bytes: Buffer): Promise<NormalizedImage> => {
    await (here && readings.get(here)?.pass());
    return { ok: true, bytes: Buffer.concat([Buffer.from('png:'), bytes]), notes: [] };
  };
  await withWorld(
    async (world) => {
      here = world;
      await run(world, await connect(world, await world.addPerson('user')));
    },
    { normalizeImage },
  );
}

for (const [place, meet] of Object.entries(meetings)) {
  test(`T-30, INV-05: two equal submissions that meet ${place} are one request`, async () => {
    await withSubmitter(async (world, connected) => {
      const submit = () => push(world, connected, bodyOf('same'));
      const answers = await meet(world, [submit, submit]);
      assert.equal(
        answers.map(({ status }) => status),
        [202, 202],
      );
      const [row, ...more] = await world.db('content_requests');
      assert.equal(more, []);
      assert.equal(
        answers.map(({ body }) => body.requestId),
        [row.id, row.id],
      );
      assert.is((await world.db('papers').where(paperOf(world)).first('sequence')).sequence, 1);
      assert.is((await world.db('callback_events').where({ state: 'available' })).length, 1);
    });
  });

  test(`T-30, INV-07: of two different submissions that meet ${place} one is stored`, async () => {
    await withSubmitter(async (world, connected) => {
      const answers = await meet(world, [
        () => push(world, connected, bodyOf('one')),
        () => push(world, connected, bodyOf('other')),
      ]);
      assert.equal(answers.map(({ status }) => status).sort(), [202, 409]);
      const [row, ...more] = await world.db('content_requests');
      assert.equal(more, []);
      const stored = answers.findIndex(({ status }) => status === 202);
      assert.is(row.text, ['one', 'other'][stored]);
      assert.is(row.state, 'accepted');
      assert.is((await world.db('paper_contents').first()).text, row.text);
    });
  });
}

test('T-28: two exchanges of one grant that meet before it is used up: one gets credentials', async () => {
  await withWorld(async (world) => {
    const grant = await grantFor(world, await world.addPerson('user'));
    const exchange = () => world.call('POST', '/exchange', { body: { grant } });
    const { ended } = await heldBack(world.db, 'papers', paperOf(world), 2, () =>
      Promise.all([exchange(), exchange()]),
    );
    assert.equal((await ended).map(({ status }) => status).sort(), [200, 401]);
    assert.is((await world.db('connections')).length, 1);
  });
});

test('INV-15, INV-16, INV-18: eight submissions of two people at one moment have one order, and one is the source', async () => {
  await withWorld(async (world) => {
    const people = [
      await connect(world, await world.addPerson('user')),
      await connect(world, await world.addPerson('admin')),
    ];
    const all = Array.from({ length: 8 }, (_, at) => () => {
      const connected = people[at % 2] as Connected;
      return push(world, connected, { messageId: `m${at}`, text: `text ${at}` });
    });
    // Two of them meet at the paper's lock; the others wait for their turn, without a connection.
    const { ended } = await heldBack(world.db, 'papers', paperOf(world), 2, () => Promise.all(all.map((one) => one())));
    assert.ok((await ended).every(({ status }) => status === 202));
    const rows: { id: string; sequence: number; state: string }[] = await world
      .db('content_requests')
      .orderBy('sequence');
    assert.equal(
      rows.map(({ sequence }) => sequence),
      Array.from({ length: 8 }, (_, at) => at + 1),
    );
    assert.equal(
      rows.map(({ state }) => state),
      [...Array.from({ length: 7 }, () => 'superseded'), 'accepted'],
    );
    const source = await world.db('paper_contents').where({ paper_id: world.paperId }).first();
    assert.equal([source.request_id, source.sequence], [rows.at(-1)?.id, 8]);
    const told = await world.db('callback_events').where({ state: 'superseded' });
    assert.is(new Set(told.map(({ request_id }) => request_id)).size, 7);
    assert.is(told.length, 7, 'INV-21: each once');
  });
});

test.run();
