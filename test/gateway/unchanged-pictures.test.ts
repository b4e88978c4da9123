/** The same bytes under a newer version: a native frame confirms them without a download, and only one that took them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DesiredPicture, type NativeLine, nativeLine } from './native-line.ts';
import { getPicture } from './picture-get.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('unchanged pictures');
const serial = 'epd7-b0c1d2e3f405';

interface Awake {
  readonly frame: NativeLine;
  /** Offers a picture of this content once more, under a revision of its own, and returns the upload's id. */
  offerAgain(content: string): Promise<string>;
  /** Says hello and returns what is desired. */
  wakes(glass?: { fileVersion: number; sha256: string }, more?: Record<string, unknown>): Promise<Desired>;
}

type Desired = DesiredPicture & { readonly unchanged?: boolean };

function present(picture: DesiredPicture | undefined): Desired {
  if (picture === undefined) throw new Error('no picture was desired');
  return picture;
}

async function awake(world: GatewayWorld): Promise<Awake> {
  const credential = await world.provision(serial);
  await world.activate(serial);
  const frame = await nativeLine(world, serial, credential);
  return {
    frame,
    async offerAgain(content) {
      await frame.say('bye', { sleepSeconds: 600 });
      return world.offer(serial, content);
    },
    async wakes(glass, more = {}) {
      await frame.hello({ ...(glass && { ...glass, pictureSynced: true }), ...more });
      return present(await frame.desired());
    },
  };
}

/** A frame that took and shows the roses. */
async function showing(world: GatewayWorld): Promise<Awake & { readonly roses: Desired }> {
  const frame = await awake(world);
  await world.offer(serial, 'roses');
  const roses = await frame.wakes();
  await frame.frame.fetch(roses);
  await frame.frame.report(roses);
  return { ...frame, roses };
}

test('what the frame took last and shows is confirmed under its new version without a download', () =>
  withGateway(async (world) => {
    const { frame, roses, offerAgain, wakes } = await showing(world);
    const again = await offerAgain('roses');
    const picture = await wakes(roses);
    assert.is(picture.unchanged, true);
    assert.ok(picture.fileVersion > roses.fileVersion);
    assert.equal(await world.lacks(again), ['shown', 'version'], 'it is the frame’s to say');
    await frame.report(picture);
    assert.equal(await world.lacks(again), []);
    const unchanged = (await world.events(serial, 'picture')).filter(({ payload }) => payload.stage === 'unchanged');
    assert.equal(
      unchanged.map(({ payload }) => [payload.uploadId, payload.fetchedAs]),
      [[again, roses.upload]],
    );
    await frame.say('bye', { sleepSeconds: 600 });
    await frame.hello({ fileVersion: picture.fileVersion, sha256: picture.sha256, pictureSynced: true });
    assert.is(await frame.desired(), undefined);
    const third = await offerAgain('roses');
    assert.is((await wakes(picture)).unchanged, true, 'and once more');
    assert.is((await world.evidence(third)).confirmedAt, null);
  }));

test('T-49: a liar that names a digest it never took gets nothing', () =>
  withGateway(async (world) => {
    const { frame, offerAgain, wakes } = await awake(world);
    await world.offer(serial, 'roses');
    const roses = await wakes();
    await frame.report(roses);
    const again = await offerAgain('roses');
    const picture = await wakes(roses);
    assert.is(picture.unchanged, undefined);
    await frame.report(picture);
    assert.equal(await world.lacks(again), ['fetched', 'shown']);
  }));

const others: readonly [why: string, hello: Record<string, unknown>][] = [
  ['another digest', { sha256: 'f'.repeat(64) }],
  ['no digest', { sha256: undefined }],
  ['a glass that is not in step', { pictureSynced: false }],
];
for (const [why, hello] of others) {
  test(`a hello with ${why} means a download`, () =>
    withGateway(async (world) => {
      const { frame, roses, offerAgain, wakes } = await showing(world);
      const again = await offerAgain('roses');
      const picture = await wakes(roses, hello);
      assert.is(picture.unchanged, undefined);
      await frame.report(picture);
      assert.equal(await world.lacks(again), ['fetched', 'shown']);
    }));
}

test('another picture taken in between could be on the glass instead', () =>
  withGateway(async (world) => {
    const { frame, roses, offerAgain, wakes } = await showing(world);
    await offerAgain('tulips');
    await frame.fetch(await wakes(roses));
    await offerAgain('roses');
    assert.is((await wakes(roses)).unchanged, undefined);
  }));

test('what vouched for one announcement does not for the next, when the glass has changed', () =>
  withGateway(async (world) => {
    const { frame, roses, offerAgain, wakes } = await showing(world);
    const again = await offerAgain('roses');
    assert.is((await wakes(roses)).unchanged, true);
    await frame.say('bye', { sleepSeconds: 600 });
    const picture = await wakes(undefined, { fileVersion: 0 });
    assert.is(picture.unchanged, undefined);
    await frame.report(picture);
    assert.equal(await world.lacks(again), ['fetched', 'shown']);
  }));

test('a frame that fetches all the same is taken at its download', () =>
  withGateway(async (world) => {
    const { frame, roses, offerAgain, wakes } = await showing(world);
    const again = await offerAgain('roses');
    const picture = await wakes(roses);
    await frame.fetch(picture);
    await frame.report(picture);
    assert.equal(await world.lacks(again), []);
    const last = (await world.events(serial, 'picture')).at(-2);
    assert.equal([last?.payload.stage, last?.payload.uploadId], ['fetched', again]);
  }));

test('another frame’s download vouches for nobody', () =>
  withGateway(async (world) => {
    const other = 'epd7-0000000000aa';
    await world.provision(other);
    await world.db('frames').where({ serial: other }).update({ dialect: 'native' });
    const theirs = await world.offer(other, 'roses');
    await world.db('uploads').where({ id: theirs }).update({ announced_at: world.clock.now() });
    await getPicture(world.url + (await world.path(theirs)));
    await until(async () => (await world.evidence(theirs)).fetchedAt !== null, 'it counts for that one');
    const { wakes } = await awake(world);
    await world.offer(serial, 'roses');
    const { sha256 } = await world.db('uploads').where({ id: theirs }).first('picture_sha256 as sha256');
    assert.is((await wakes({ fileVersion: 1, sha256 })).unchanged, undefined);
  }));

test('T-47: a copy of the frame never learns that anything is unchanged', () =>
  withGateway(async (world) => {
    const { roses, offerAgain, wakes } = await showing(world);
    const again = await offerAgain('roses');
    assert.is((await wakes(roses)).unchanged, true);
    assert.is((await wakes(roses, { boot: 1 })).unchanged, undefined);
    assert.equal(await world.lacks(again), ['shown', 'version']);
  }));

test.run();
