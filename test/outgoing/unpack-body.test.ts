/** Answers that servers compressed: by header, by mark, twice, wrongly, and as bombs. */

import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requestOnce } from '../../api/outgoing/request-once.ts';
import { joined, unpackedPieces } from '../../api/outgoing/unpack-body.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { wordsOf } from '../../reasons/words.ts';
import { fakeNetwork, withReceiver } from '../callbacks/receiver.ts';
import { handClock } from '../integration/integration-world.ts';

const test = suite('unpacking answers');

const text = `BEGIN:VCALENDAR\r\n${'SUMMARY:Müllabfuhr\r\n'.repeat(20)}END:VCALENDAR\r\n`;
const plain = Buffer.from(text);
const maxBytes = 100_000;

async function* inPieces(body: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += length) yield body.subarray(at, at + length);
}

/** Unpacks a body, or returns why it cannot be. */
async function unpackBody(body: Buffer, encoding: string, most: number, length = 16_384): Promise<Buffer | Reason> {
  try {
    return await joined(unpackedPieces(inPieces(body, length), encoding, most));
  } catch (error) {
    if (error instanceof ReasonedError) return error.reason;
    throw error;
  }
}

const unpacked = async (body: Buffer, encoding: string): Promise<string> => {
  const [whole, byByte] = [await unpackBody(body, encoding, maxBytes), await unpackBody(body, encoding, maxBytes, 1)];
  assert.equal(byByte, whole);
  return Buffer.isBuffer(whole) ? whole.toString() : wordsOf(whole);
};

test('T-90: each coding is unpacked by its name, in any case, and several in their order', async () => {
  const packed: Record<string, Buffer> = {
    gzip: gzipSync(plain),
    'X-GZip': gzipSync(plain),
    deflate: deflateSync(plain),
    Deflate: deflateRawSync(plain),
    br: brotliCompressSync(plain),
    'gzip, gzip': gzipSync(gzipSync(plain)),
    'deflate,br': brotliCompressSync(deflateSync(plain)),
    'br , identity, gzip': gzipSync(brotliCompressSync(plain)),
    identity: plain,
    '': plain,
  };
  for (const [encoding, body] of Object.entries(packed)) assert.is(await unpacked(body, encoding), text, encoding);
});

test('T-90: bytes that are packed without a word are unpacked, and headers that lie are not believed', async () => {
  assert.is(await unpacked(gzipSync(plain), ''), text);
  assert.is(await unpacked(gzipSync(gzipSync(plain)), 'gzip'), text);
  assert.is(await unpacked(gzipSync(plain), 'br'), text);
  assert.is(await unpacked(gzipSync(plain), 'deflate'), text);
  assert.is(await unpacked(gzipSync(plain), 'utf-8'), text);
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'aws-chunked', 'none', 'UTF-8']) {
    assert.is(await unpacked(plain, encoding), text, encoding);
  }
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]);
  assert.equal(await unpackBody(marked, 'gzip', maxBytes), marked);
  // Members in a row are one text, and a missing end is left to the reader.
  assert.is(await unpacked(Buffer.concat([gzipSync('a'), gzipSync('b')]), 'gzip'), 'ab');
  assert.is(await unpacked(gzipSync(plain).subarray(0, -8), 'gzip'), text);
  assert.is(await unpacked(Buffer.alloc(0), 'gzip'), '');
});

test('T-90: what cannot be unpacked is refused by a sentence', async () => {
  const damaged = gzipSync(plain);
  damaged.fill(0xff, 20, 40);
  const noise = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 151 + 7) & 255));
  for (const [body, encoding] of [
    [damaged, 'gzip'],
    [noise, 'br'],
    [noise, 'gzip'],
    [brotliCompressSync(plain), 'gzip'],
    [Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), noise]), ''],
  ] as const) {
    assert.is(await unpacked(body, encoding), 'the answer is compressed and cannot be unpacked', encoding);
  }
  const deep = [1, 2, 3, 4, 5].reduce((body) => gzipSync(body), plain);
  assert.is(await unpacked(deep, 'gzip'), 'the answer is compressed and cannot be unpacked');
});

test('T-90: a bomb costs no more than what an answer may hold', async () => {
  const large = Buffer.alloc(80 * 1024 * 1024);
  const bombs = {
    gzip: gzipSync(large),
    br: brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
    deflate: deflateRawSync(large),
  };
  large.fill(0);
  const before = process.memoryUsage();
  const begun = process.hrtime.bigint();
  for (const [encoding, bomb] of Object.entries(bombs)) {
    assert.equal(await unpackBody(bomb, encoding, 4 * 1024 * 1024), reasonOf('answer-too-long'), encoding);
  }
  assert.equal(await unpackBody(gzipSync(bombs.gzip), 'gzip', 4 * 1024 * 1024), reasonOf('answer-too-long'));
  const after = process.memoryUsage();
  const grown = after.arrayBuffers + after.external - before.arrayBuffers - before.external;
  assert.ok(grown < 64 * 1024 * 1024, `${grown} bytes`);
  assert.ok(process.hrtime.bigint() - begun < 5_000_000_000n);
});

test('T-90: requests give plain bytes and the kind of content, and refuse what is too long unpacked', async () => {
  await withReceiver(
    ({ path }, response) => {
      const body = gzipSync(path === '/bomb' ? Buffer.alloc(40 * 1024 * 1024) : plain);
      assert.ok(body.length < 50_000);
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/calendar; charset=utf-8' }).end(body);
    },
    async ({ port }) => {
      const wayOut = openWayOut({ network: fakeNetwork(port, () => ['93.184.216.34']), clock: handClock() });
      const ask = (path: string) =>
        requestOnce(wayOut, {
          sharer: ['house'],
          url: `https://feeds.example${path}`,
          method: 'GET',
          headers: {},
          allowLoopback: false,
          readLimitBytes: 4 * 1024 * 1024,
        });
      assert.equal(await ask('/a'), {
        kind: 'answer',
        status: 200,
        body: plain,
        contentType: 'text/calendar; charset=utf-8',
      });
      assert.equal(await ask('/bomb'), { kind: 'problem', problem: reasonOf('answer-too-long') });
    },
  );
});

test.run();
