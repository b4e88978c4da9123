import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { getPicture, type Manner } from './picture-get.ts';
import { epd7Bytes, epd13Bytes, type GatewayWorld, pictureFile, until, withGateway } from './world.ts';

const test = suite('downloads');
const serial = 'epd7-b0c1d2e3f405';
const times = 20;

/** An offer that was announced to a native frame, whose first whole download counts, and its address. */
async function offered(world: GatewayWorld, bytes?: number): Promise<{ upload: string; address: string }> {
  await world.provision(serial);
  await world.db('frames').update({ dialect: 'native' });
  const upload = await world.offer(serial, 'roses', bytes);
  await world.db('uploads').where({ id: upload }).update({ announced_at: world.clock.now() });
  return { upload, address: world.url + (await world.path(upload)) };
}

test('the answer is 200 with an exact length, whole, unchunked and uncompressed (W-08, W-09)', async () => {
  await withGateway(async (world) => {
    const { address } = await offered(world);
    const got = await getPicture(address);
    assert.is(got?.status, 200);
    assert.is(got?.headers['content-length'], String(epd7Bytes));
    assert.is(got?.headers['transfer-encoding'], undefined);
    assert.is(got?.headers['content-encoding'], undefined);
    assert.is(got?.headers.location, undefined);
    assert.equal(got?.body, pictureFile('roses'));
  });
});

test('a download counts as fetched once the peer has taken it all and ended well', async () => {
  await withGateway(async (world) => {
    const { upload, address } = await offered(world, epd13Bytes);
    assert.is((await getPicture(address))?.body.length, epd13Bytes);
    await until(async () => (await world.evidence(upload)).fetchedAt !== null, 'it counts');
    const { fetchedAt } = await world.evidence(upload);
    await getPicture(address);
    await world.downloadsSettled();
    assert.is((await world.evidence(upload)).fetchedAt, fetchedAt, 'the first one stays');
    const stages = (await world.events(serial, 'picture')).map(({ payload }) => payload.stage);
    assert.equal(stages, ['offered', 'fetched']);
  });
});

for (const bytes of [epd7Bytes, epd13Bytes]) {
  for (const manner of ['drop body', 'half', 'never read'] as const satisfies readonly Manner[]) {
    test(`of ${times} clients that ${manner} of ${bytes} bytes and reset, none is counted (W-13)`, async () => {
      await withGateway(async (world) => {
        const { upload, address } = await offered(world, bytes);
        for (let time = 1; time <= times; time++) {
          let letGo = () => {};
          const released = new Promise<void>((resolve) => {
            letGo = resolve;
          });
          const getting = getPicture(address, manner, { letGo: released });
          if (manner === 'never read') {
            await until(async () => (await world.db('uploads').first('gets')).gets === time, 'the answer has begun');
          }
          letGo();
          const got = await getting;
          assert.ok((got?.body.length ?? 0) < bytes);
        }
        await world.downloadsSettled();
        assert.is((await world.evidence(upload)).fetchedAt, null);
        await getPicture(address);
        await until(async () => (await world.evidence(upload)).fetchedAt !== null, 'an honest one is');
      });
    });
  }
}

test('INV-43: a client that ends its side in the middle of the body and goes away is not counted', async () => {
  await withGateway(async (world) => {
    const { upload, address } = await offered(world, epd13Bytes);
    for (let time = 1; time <= 5; time++) {
      const got = await getPicture(address, 'give up');
      assert.ok((got?.body.length ?? 0) < epd13Bytes);
    }
    await world.downloadsSettled();
    assert.is((await world.evidence(upload)).fetchedAt, null);
  });
});

test('a client that reads until the service ends gets its end soon, and counts', async () => {
  await withGateway(async (world) => {
    const { upload, address } = await offered(world);
    const got = await getPicture(address, 'until end');
    assert.is(got?.body.length, epd7Bytes);
    await until(async () => (await world.evidence(upload)).fetchedAt !== null, 'it counts');
  });
});

test('a download that the service ends itself is not counted: only the peer’s own end is', async () => {
  await withGateway(async (world) => {
    const { upload, address } = await offered(world);
    const got = await getPicture(address, 'linger', { served: world.endDownloads });
    assert.is(got?.body.length, epd7Bytes);
    await world.downloadsSettled();
    assert.is((await world.evidence(upload)).fetchedAt, null);
  });
});

test('HEAD and POST are not downloads, and count neither as one nor as the probe (W-13)', async () => {
  await withGateway(async (world) => {
    const { upload, address } = await offered(world);
    await world.db('frames').update({ dialect: 'classic' });
    const head = await getPicture(address, 'drop body', { method: 'HEAD' });
    assert.is(head?.status, 200);
    assert.is(head?.headers['content-length'], String(epd7Bytes));
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const got = await getPicture(address, 'whole', { method });
      assert.is(got?.status, 405, method);
      assert.is(got?.body.length, 0);
    }
    await getPicture(address);
    await world.downloadsSettled();
    assert.is((await world.evidence(upload)).fetchedAt, null, 'the first GET is the probe');
    await getPicture(address);
    await until(async () => (await world.evidence(upload)).fetchedAt !== null, 'the second counts');
  });
});

test('paths are compared whole: near misses are answered 404 or are not ours (W-07)', async () => {
  await withGateway(async (world) => {
    const { address } = await offered(world);
    const path = new URL(address).pathname;
    for (const other of [
      `${path}x`,
      path.slice(0, -1),
      `/f/${'0'.repeat(10)}`,
      '/f/../../etc/p',
      '/f/%2e%2e%2fxx',
      '/',
    ]) {
      const got = await getPicture(world.url + other);
      assert.is(got?.status, 404, other);
    }
    assert.is((await getPicture(`${world.url}${path}`))?.status, 200);
  });
});

test('a picture whose file is gone ends the connection without an answer (W-11)', async () => {
  await withGateway(async (world) => {
    const { upload, address } = await offered(world);
    await world.db('uploads').update({ picture_sha256: '0'.repeat(64) });
    assert.is(await getPicture(address), undefined);
    assert.is((await world.evidence(upload)).fetchedAt, null);
  });
});

test('a store that cannot be asked ends the connection without an answer (W-11)', async () => {
  await withGateway(async (world) => {
    const { address } = await offered(world);
    await world.db.raw('alter table uploads rename to uploads_away');
    assert.is(await getPicture(address), undefined);
    await world.db.raw('alter table uploads_away rename to uploads');
    assert.is((await getPicture(address))?.status, 200);
  });
});

test('a download begun before a new offer counts for the old version only', async () => {
  await withGateway(async (world) => {
    const { upload, address } = await offered(world);
    const next = await world.offer(serial, 'tulips');
    await getPicture(address);
    await until(async () => (await world.evidence(upload)).fetchedAt !== null, 'it counts for the old');
    assert.is((await world.evidence(next)).fetchedAt, null);
  });
});

test.run();
