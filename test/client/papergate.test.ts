import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PapergateError, papergate } from '../../client/papergate.ts';
import { picture, withHttp } from '../http/world.ts';

const test = suite('client');

const failure = (promise: Promise<unknown>): Promise<PapergateError> =>
  promise.then(
    () => {
      throw new Error('it went well');
    },
    (error) => error,
  );

/** Plays a service, and counts what it is asked. */
async function withAnswers(answer: RequestListener, run: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
}

test('it makes calls by their names: path, query, body and form reach the service, and its answer comes back', () =>
  withHttp(async ({ url, admin }) => {
    const { call } = papergate({ url: `${url}/`, apiKey: admin.key });
    const { organizationId: organization } = admin;
    const device = await call('POST /devices/', { body: { organization, kind: 'epd7' } });
    const found = await call('GET /devices/', { query: { organization, search: device.id, name: undefined } });
    assert.equal(
      found.map(({ id }) => id),
      [device.id],
    );
    const paper = await call('POST /papers/', { body: { deviceId: device.id, kind: 'image', organization } });
    const sent = await call('POST /papers/uploadSingleImage/{paperId}', {
      path: { paperId: paper.id },
      form: { picture: [new Blob([new Uint8Array(picture('one'))])], forceUpload: 'true' },
    });
    assert.is(sent.id, paper.id);
    const { id } = await call('POST /tokens/', { body: { name: 'more' } });
    assert.is(await call('DELETE /tokens/{tokenId}', { path: { tokenId: id } }), undefined);
  }));

test('what the service refuses is thrown with its words, and never with the key', () =>
  withHttp(async ({ url, admin }) => {
    const { call } = papergate({ url, apiKey: admin.key });
    const refused = await failure(call('GET /devices/{deviceId}', { path: { deviceId: '0'.repeat(24) } }));
    assert.instance(refused, PapergateError);
    assert.equal([refused.name, refused.status, refused.code], ['PapergateError', 404, 'not-found']);
    assert.match(String(refused.requestId), /^\S+$/);
    const unnamed = await failure(call('POST /tokens/', { body: { name: '' } }));
    assert.is(unnamed.status, 400);
    const stranger = papergate({ url, apiKey: 'pg_wrong-key' });
    const unknown = await failure(stranger.call('GET /devices/'));
    assert.is(unknown.status, 401);
    for (const error of [refused, unnamed, unknown]) {
      const told = JSON.stringify({ ...error, message: error.message, stack: error.stack });
      assert.not.match(told, /pg_wrong-key/);
      assert.not.ok(told.includes(admin.key));
    }
  }));

test('a wrong address and a wrong key are refused without being quoted, and so is a segment that leads elsewhere', async () => {
  for (const url of ['paper.example', 'ftp://x', 'http://ada:secret@x', 'http://x/?key=secret', 'http://x/v1/']) {
    assert.throws(
      () => papergate({ url }),
      (error: Error) => error instanceof TypeError && !/secret|ada/.test(error.message),
    );
  }
  assert.throws(
    () => papergate({ url: 'http://x', apiKey: 'a\nsecret' }),
    (error: Error) => !/secret/.test(error.message),
  );
  const { call } = papergate({ url: 'http://127.0.0.1:1', apiKey: 'k' });
  for (const deviceId of ['..', '.', '']) {
    const refused = await failure(call('GET /devices/{deviceId}', { path: { deviceId } }));
    assert.match(String(refused), /^TypeError: GET .* deviceId is/);
  }
  const nobody = await failure(call('GET /devices/'));
  assert.equal([nobody.status, nobody.code], [0, 'unreachable']);
  assert.is(nobody.message, 'http://127.0.0.1:1 does not answer (no connection)');
});

test('nothing else is taken for a service: a page, and a redirect, which is not followed with the key', () =>
  withAnswers(
    (asked, response) => {
      if (asked.url === '/devices/') response.writeHead(302, { location: '/papers/' }).end();
      else response.end('<!doctype html>');
    },
    async (url) => {
      const { call } = papergate({ url, apiKey: 'k' });
      const elsewhere = await failure(call('GET /devices/'));
      assert.equal([elsewhere.code, elsewhere.status], ['redirected', 302]);
      const page = await failure(call('GET /papers/'));
      assert.is(page.code, 'not-papergate');
    },
  ));

test('what is asked for patience is asked again, twice at most; a POST never is, nor what has to wait too long', async () => {
  const asked: string[] = [];
  let [status, retryAfter, refusals] = [429, '0.01', 2];
  await withAnswers(
    ({ method = '' }, response) => {
      asked.push(method);
      if (asked.length > refusals) response.end('[]');
      else
        response.writeHead(status, retryAfter === '' ? {} : { 'retry-after': retryAfter }).end('{"code":"slow-down"}');
    },
    async (url) => {
      const { call } = papergate({ url });
      const play = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
        asked.length = 0;
        const end = await run().then(
          () => 'answered',
          ({ code, retryAfterSeconds }: PapergateError) => `${code} ${retryAfterSeconds}`,
        );
        return [...asked, end];
      };
      const get = () => call('GET /devices/');
      assert.equal(await play(get), ['GET', 'GET', 'GET', 'answered']);
      status = 503;
      assert.equal(await play(() => call('DELETE /tokens/{tokenId}', { path: { tokenId: 'a' } })), [
        ...['DELETE', 'DELETE', 'DELETE'],
        'answered',
      ]);
      assert.equal(await play(() => call('POST /tokens/', { body: { name: 'a' } })), ['POST', 'slow-down 0.01']);
      refusals = 9;
      assert.equal(await play(get), ['GET', 'GET', 'GET', 'slow-down 0.01']);
      assert.equal(await play(() => papergate({ url, retries: 0 }).call('GET /devices/')), ['GET', 'slow-down 0.01']);
      retryAfter = '3600';
      assert.equal(await play(get), ['GET', 'slow-down 3600']);
      retryAfter = '';
      assert.equal(await play(get), ['GET', 'slow-down undefined']);
      [status, retryAfter] = [500, '0.01'];
      assert.equal(await play(get), ['GET', 'slow-down 0.01']);
      [status, retryAfter] = [429, '30'];
      const signal = AbortSignal.timeout(50);
      assert.is((await failure(call('GET /devices/', { signal }))).name, 'TimeoutError');
    },
  );
});

test('it is made for browsers too: one file of at most 4 kB compressed that asks for nothing of Node', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [new URL('../../client/papergate.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    metafile: true,
    write: false,
  });
  assert.ok(Object.keys(metafile.inputs).every((path) => /^client\/[\w-]+\.ts$/.test(path)));
  const [file] = outputFiles;
  assert.not.match(String(file?.text), /\b(?:node:|process|Buffer)\b/);
  const bytes = brotliCompressSync(file?.contents ?? '').length;
  assert.ok(bytes > 1_000 && bytes <= 4_000, `${bytes} bytes`);
});

test.run();
