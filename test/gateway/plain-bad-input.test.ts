/** Bad input of strangers, broken clients and caches at the one address of a frame. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { getPicture } from './picture-get.ts';
import { askPlain, plainFrame } from './plain-frame.ts';
import { pictureFile, until, withGateway } from './world.ts';

const test = suite('bad input of frames that poll one address');

test('T-97: only the key of this very frame opens its address, in a header, and everybody else gets the same answer', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const other = await plainFrame(world, { serial: 'plain-hall' });
    await world.offer(frame.serial, 'one');
    const url = `${world.url}/plain/${frame.serial}`;
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    const refused = [
      await askPlain(url),
      await askPlain(url, { headers: bearer('wrong') }),
      await askPlain(url, { headers: bearer(other.key) }),
      await askPlain(`${world.url}/plain/${other.serial}`, { headers: bearer(frame.key) }),
      await askPlain(`${world.url}/plain/plain-nobody`, { headers: bearer(frame.key) }),
      await askPlain(`${url}?key=${frame.key}`),
      await askPlain(`${url}?authorization=Bearer%20${frame.key}`),
      await askPlain(url, { headers: { authorization: `Basic ${Buffer.from(`x:${frame.key}`).toString('base64')}` } }),
      await askPlain(url, { headers: bearer(`${frame.key} x`) }),
      await askPlain(url, { headers: { 'x-screen-name': 'Kitchen' } }),
      await askPlain(url, { method: 'HEAD', headers: bearer(other.key) }),
      await askPlain(`${url}/report`, { method: 'POST', headers: bearer(other.key), body: '{}' }),
    ];
    assert.equal(new Set(refused.map(({ status }) => status)), new Set([401]));
    const [first] = refused;
    for (const each of refused.filter(({ body }) => body.length > 0)) assert.equal(each.body, first?.body);
    assert.equal(await world.events(frame.serial, 'hello'), []);
    assert.is(
      (await askPlain(url, { headers: { 'x-screen-name': frame.key } })).status,
      200,
      'a firmware with one header',
    );
    assert.is(
      (await askPlain(`${world.url}/plain/${frame.serial.toUpperCase()}`, { headers: bearer(frame.key) })).status,
      200,
    );
    assert.not.match(
      JSON.stringify([world.warnings, world.remarks, await world.db('frame_events')]),
      new RegExp(frame.key),
    );
  }));

test('other addresses, methods and bodies are refused with a sentence', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const url = `${world.url}/plain/${frame.serial}`;
    const headers = { authorization: `Bearer ${frame.key}` };
    const status = async (address: string, more: Parameters<typeof askPlain>[1] = {}): Promise<unknown[]> => {
      const answer = await askPlain(address, { headers, ...more });
      return [answer.status, answer.headers.allow, typeof answer.json.hint];
    };
    assert.equal(await status(`${world.url}/plain/`), [404, undefined, 'string']);
    assert.equal(await status(`${url}/more`), [404, undefined, 'string']);
    assert.equal(await status(`${world.url}/plain/..%2f${frame.serial}`), [404, undefined, 'string']);
    assert.equal(await status(url, { method: 'PUT', body: 'x' }), [405, 'GET, HEAD', 'string']);
    assert.equal(await status(`${url}/report`), [405, 'POST', 'string']);
    for (const body of ['[', '[]', '"x"', '{"etag":7}', '{"batteryMv":-1}', '{"error":""}', '\u0000']) {
      assert.is((await frame.report(body)).status, 400, body);
    }
    assert.is((await frame.report(`{"error":"${'x'.repeat(5000)}"}`)).status, 413);
    assert.equal(await world.events(frame.serial, 'picture'), []);
    assert.is(
      (await frame.report('{"batteryMv":3700,"rssi":-70}')).status,
      409,
      'without a picture there is nothing to report',
    );
    const row = await world.db('frames').first();
    assert.equal([row.battery_mv, row.rssi], [3700, -70], 'what it measured counts all the same');
  }));

test('garbage in headers is as if it had not been sent, and headers of 16 kB are not a request', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    await world.offer(frame.serial, 'one');
    const tag = (await frame.poll()).headers.etag ?? '';
    const odd = [
      '*',
      '""',
      '"',
      ',,,',
      'W/"x"',
      `"${'9'.repeat(40)}-${'a'.repeat(32)}"`,
      'x'.repeat(5000),
      '\u00ff\u00fe',
    ];
    for (const held of odd) assert.is((await frame.poll({ 'if-none-match': held })).status, 200, held.slice(0, 20));
    const bare = tag.replaceAll('"', '');
    for (const held of [tag, `W/${tag}`, bare, `"other", ${tag}`]) {
      assert.is((await frame.poll({ 'if-none-match': held })).status, 304, held);
    }
    const before = await world.db('frames').first();
    await frame.poll({
      'x-battery-mv': '-5',
      'x-battery-voltage': '1e9',
      'x-rssi': 'good',
      'x-display-width': '99999999',
      'x-display-height': '-1',
      'x-firmware-version': 'v'.repeat(33),
      'x-frame-state': '{"bat_mv":',
    });
    const after = await world.db('frames').first();
    for (const name of ['battery_mv', 'rssi', 'panel', 'firmware']) assert.is(after[name], before[name], name);
    const giant = await askPlain(`${world.url}/plain/${frame.serial}`, {
      headers: { authorization: `Bearer ${frame.key}`, 'x-frame-state': 'x'.repeat(17_000) },
    });
    assert.is(giant.status, 431);
    assert.is(
      (
        await askPlain(`${world.url}/plain/${frame.serial}`, {
          headers: { authorization: `Bearer ${'k'.repeat(9000)}` },
        })
      ).status,
      401,
    );
  }));

test('HEAD looks and is not a wake; ranges are not cut out of a picture, which would prove nothing', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const upload = await world.offer(frame.serial, 'one');
    const url = `${world.url}/plain/${frame.serial}`;
    const headers = { authorization: `Bearer ${frame.key}` };
    const head = await askPlain(url, { method: 'HEAD', headers });
    assert.equal(
      [head.status, head.body.length, head.headers['content-length']],
      [200, 0, String(pictureFile('one').length)],
    );
    assert.equal(await world.events(frame.serial, 'hello'), []);
    assert.equal([(await world.evidence(upload)).announcedAt, (await world.evidence(upload)).fetchedAt], [null, null]);
    const part = await frame.poll({ range: 'bytes=0-99', 'if-range': head.headers.etag });
    assert.equal(
      [part.status, part.body.length, part.headers['accept-ranges']],
      [200, pictureFile('one').length, 'none'],
    );
    assert.is(part.headers.etag, head.headers.etag);
  }));

test('a picture that was not taken whole is not fetched, and a report of it counts for nothing', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const upload = await world.offer(frame.serial, 'one');
    const url = `${world.url}/plain/${frame.serial}`;
    const headers = { authorization: `Bearer ${frame.key}` };
    for (const manner of ['drop body', 'half', 'give up'] as const) {
      const got = await getPicture(url, manner, { headers });
      frame.held = got?.headers.etag ?? frame.held;
      await world.downloadsSettled();
      assert.is((await world.evidence(upload)).fetchedAt, null, manner);
    }
    const claim = await frame.report({});
    assert.equal([claim.status, claim.json.error], [409, 'not fetched']);
    assert.is((await getPicture(url, 'whole', { headers }))?.status, 200);
    await world.downloadsSettled();
    assert.is((await frame.report({})).json.recorded, 'shown');
    assert.equal(await world.lacks(upload), []);
  }));

test('T-98: a cache on the way is told to keep nothing, and what it answers in place of the service proves nothing', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const first = await world.offer(frame.serial, 'one');
    const answers = [
      await frame.poll(),
      await frame.poll(),
      await frame.report(),
      await frame.report({ etag: 'x' }),
      await frame.poll({ authorization: 'Bearer x' }),
    ];
    assert.equal(
      answers.map(({ status }) => status),
      [200, 304, 200, 409, 401],
    );
    for (const { headers } of answers) {
      assert.match(headers['cache-control'] ?? '', /private, no-store, no-transform/);
      assert.match(headers.vary ?? '', /authorization/);
    }
    // A cache that keeps it all the same hides the next picture: the frame goes on to report the one before.
    const second = await world.offer(frame.serial, 'two');
    assert.is((await frame.report()).json.recorded, 'superseded');
    assert.ok((await world.lacks(first)).includes('newest'));
    assert.equal((await world.lacks(second)).slice(0, 3), ['announced', 'fetched', 'shown']);
  }));

test('T-42: a client in a loop is slowed down by its own count, and is let in again', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const statuses = new Map<number, number>();
    let last: Awaited<ReturnType<typeof frame.report>> | undefined;
    for (let call = 0; call < 320; call++) {
      last = await frame.report('[');
      statuses.set(last.status, (statuses.get(last.status) ?? 0) + 1);
    }
    assert.equal(
      [...statuses],
      [
        [400, 300],
        [429, 20],
      ],
    );
    assert.is(last?.headers['retry-after'], '60');
    await until(async () => (await world.events(frame.serial, 'alert')).length === 1, 'the alert is recorded');
    world.clock.passes(60_000);
    assert.is((await frame.poll()).status, 200);
  }));

test.run();
