/** Downloads in parts, over real sockets: the answers, and which of them prove that a frame took the picture. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DesiredPicture, type NativeLine, nativeLine } from './native-line.ts';
import { type Got, getPicture, type Manner } from './picture-get.ts';
import { epd7Bytes, epd13Bytes, type GatewayWorld, pictureFile, until, withGateway } from './world.ts';

const test = suite('resumed downloads');
const serial = 'epd7-b0c1d2e3f405';
const half = 100_000;

interface Told {
  readonly upload: string;
  readonly frame: NativeLine;
  readonly picture: DesiredPicture;
  get(range?: string, manner?: Manner, headers?: Record<string, string>): Promise<Got | undefined>;
  /** A download of the whole, broken off after about a half. */
  breaksOff(): Promise<void>;
  isFetched(): Promise<boolean>;
}

/** A native frame that is awake, and to which a picture was announced. */
async function told(world: GatewayWorld, bytes = epd7Bytes): Promise<Told> {
  const credential = await world.provision(serial);
  await world.activate(serial);
  const frame = await nativeLine(world, serial, credential);
  const upload = await world.offer(serial, 'roses', bytes);
  await frame.hello();
  const picture = await frame.desired();
  if (picture === undefined) throw new Error('no picture was desired');
  const get: Told['get'] = (range, manner = 'whole', headers = {}) =>
    getPicture(picture.url, manner, { headers: { ...headers, ...(range && { Range: range }) } });
  return {
    upload,
    frame,
    picture,
    get,
    async breaksOff() {
      const got = await get(undefined, 'half');
      assert.ok((got?.body.length ?? 0) < bytes && (got?.body.length ?? 0) >= bytes / 2);
    },
    async isFetched() {
      await world.downloadsSettled();
      return (await world.evidence(upload)).fetchedAt !== null;
    },
  };
}

test('one range is answered 206 with its place and exact length; the file says that it can be asked so', () =>
  withGateway(async (world) => {
    const { get } = await told(world);
    const file = pictureFile('roses');
    for (const [range, from, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=1000-1999', 1000, 2000],
      [`bytes=${half}-`, half, epd7Bytes],
      ['bytes=-500', epd7Bytes - 500, epd7Bytes],
    ] as const) {
      const got = await get(range);
      assert.is(got?.status, 206, range);
      assert.is(got?.headers['content-range'], `bytes ${from}-${end - 1}/${epd7Bytes}`);
      assert.is(got?.headers['content-length'], String(end - from));
      assert.equal(got?.body, file.subarray(from, end), range);
    }
    const beyond = await get(`bytes=${epd7Bytes}-`);
    assert.equal([beyond?.status, beyond?.headers['content-range']], [416, `bytes */${epd7Bytes}`]);
    assert.is(beyond?.body.length, 0);
    for (const range of ['bytes=0-1,5-6', 'bytes=9-3', 'pages=1-2']) {
      const got = await get(range);
      assert.equal([got?.status, got?.body.length, got?.headers['accept-ranges']], [200, epd7Bytes, 'bytes'], range);
    }
  }));

test('If-Range holds for this very file only, and only a client that names a known tag gets 304', () =>
  withGateway(async (world) => {
    const { get, picture, isFetched } = await told(world);
    const etag = `"${picture.sha256}"`;
    assert.is((await get('bytes=5-', 'whole', { 'If-Range': etag }))?.status, 206);
    assert.is((await get('bytes=5-', 'half', { 'If-Range': '"other"' }))?.status, 200);
    const known = await get(undefined, 'whole', { 'If-None-Match': etag });
    assert.equal([known?.status, known?.headers.etag, known?.body.length], [304, etag, 0]);
    assert.is((await get(undefined, 'half', { 'If-None-Match': '"other"' }))?.status, 200);
    assert.is(await isFetched(), false, 'being known is no download');
  }));

test('a download that was broken off and resumed where it ended counts, and the digest completes the proof', () =>
  withGateway(async (world) => {
    const { frame, picture, upload, get, breaksOff, isFetched } = await told(world);
    await breaksOff();
    assert.is(await isFetched(), false);
    assert.is((await get(`bytes=${half}-`))?.body.length, epd7Bytes - half);
    assert.is(await isFetched(), true);
    const stages = (await world.events(serial, 'picture')).map(({ payload }) => payload.stage);
    assert.equal(stages, ['offered', 'fetched']);
    await frame.report(picture, { sha256: 'f'.repeat(64) });
    assert.ok((await world.lacks(upload)).includes('shown'), 'other bytes on the glass prove nothing');
    await frame.report(picture);
    assert.equal(await world.lacks(upload), []);
  }));

/** A client that asks and never reads; the function returned resets it. */
async function stalls(world: GatewayWorld, { picture }: Told): Promise<() => Promise<unknown>> {
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const getting = getPicture(picture.url, 'never read', { letGo: released });
  await until(async () => (await world.db('uploads').first('gets')).gets === 1, 'the answer has begun');
  return () => {
    letGo();
    return getting;
  };
}

test('the answer before may still be open when a frame resumes: its link died without a word', () =>
  withGateway(async (world) => {
    const frame = await told(world);
    const ends = await stalls(world, frame);
    await frame.get('bytes=50000-');
    await until(async () => (await world.evidence(frame.upload)).fetchedAt !== null, 'the resume counts');
    await ends();
  }));

test('only what was handed to the network can be resumed', () =>
  withGateway(async (world) => {
    const bytes = 24_000_000;
    const frame = await told(world, bytes);
    const ends = await stalls(world, frame);
    assert.is((await frame.get(`bytes=${bytes - 1000}-`))?.body.length, 1000);
    await ends();
    assert.is(await frame.isFetched(), false);
  }));

test('pieces that were each taken whole count together, in any order and overlapping', () =>
  withGateway(async (world) => {
    const { get, isFetched } = await told(world, epd13Bytes);
    await get('bytes=600000-');
    await get('bytes=300000-700000');
    assert.is(await isFetched(), false);
    await get('bytes=0-299998');
    assert.is(await isFetched(), false, 'one byte is missing');
    await get('bytes=200000-299999');
    assert.is(await isFetched(), true);
  }));

test('the tail without the head proves nothing, nor does a head that was broken off after the tail', () =>
  withGateway(async (world) => {
    const { get, breaksOff, isFetched } = await told(world);
    await get(`bytes=${half}-`);
    await get('bytes=-1000');
    assert.is(await isFetched(), false);
    await breaksOff();
    assert.is(await isFetched(), false, 'nobody said that this head is held');
  }));

test('a tail that is broken off too, and one behind a gap, prove nothing', () =>
  withGateway(async (world) => {
    const { get, isFetched } = await told(world);
    await get('bytes=0-49999');
    await get('bytes=50001-');
    assert.is(await isFetched(), false, 'behind a gap');
    await get('bytes=50000-', 'half');
    await get('bytes=50000-', 'drop body');
    assert.is(await isFetched(), false, 'broken off');
  }));

test('HEAD with a range is a HEAD: the whole length, no body, no evidence', () =>
  withGateway(async (world) => {
    const { picture, get, isFetched } = await told(world);
    const head = await getPicture(picture.url, 'drop body', { method: 'HEAD', headers: { Range: 'bytes=0-9' } });
    assert.equal([head?.status, head?.headers['content-length']], [200, String(epd7Bytes)]);
    await get(`bytes=${half}-`);
    assert.is(await isFetched(), false);
  }));

test('parts of an earlier cycle, and those of an earlier version, do not count for the present one', () =>
  withGateway(async (world) => {
    const { frame, get, breaksOff, isFetched, upload } = await told(world);
    await breaksOff();
    await world.downloadsSettled();
    await frame.hello();
    await frame.desired();
    await get(`bytes=${half}-`);
    assert.is(await isFetched(), false, 'another cycle');
    await get(`bytes=0-${half - 1}`);
    assert.is(await isFetched(), true);

    const next = await world.offer(serial, 'tulips');
    const newer = await frame.desired();
    if (newer === undefined) throw new Error('no newer picture was desired');
    await get(undefined, 'half');
    await getPicture(newer.url, 'whole', { headers: { Range: `bytes=${half}-` } });
    await world.downloadsSettled();
    assert.is((await world.evidence(next)).fetchedAt, null);
    assert.is.not(next, upload);
  }));

test('a rest that was asked for in one cycle and ended in the next does not count', () =>
  withGateway(async (world) => {
    const { frame, picture, breaksOff, isFetched } = await told(world);
    await breaksOff();
    await world.downloadsSettled();
    let served = () => {};
    const isServed = new Promise<void>((resolve) => {
      served = resolve;
    });
    const nextCycle = isServed.then(async () => {
      await frame.hello();
      await frame.desired();
    });
    const headers = { Range: `bytes=${half}-` };
    await getPicture(picture.url, 'whole, later', { headers, served, letGo: nextCycle });
    assert.is(await isFetched(), false);
  }));

test('W-13: of a frame without digests only whole files count', () =>
  withGateway(async (world) => {
    const { get, isFetched } = await told(world);
    await world.db('frames').update({ dialect: 'classic' });
    for (let round = 1; round <= 3; round++) await get('bytes=0-');
    await get(undefined, 'half');
    await get(`bytes=${half}-`);
    assert.is(await isFetched(), false);
    await get();
    assert.is(await isFetched(), true, 'the second whole one');
  }));

test.run();
