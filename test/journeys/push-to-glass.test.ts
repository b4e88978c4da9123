import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientCredentials, Refused } from '../../cli/ground/client.ts';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { callApi } from '../call-api.ts';
import { assertDescribed } from '../callbacks/described-callback.ts';
import { longTest } from '../some-times.ts';
import { eventually, postcardMeta, type ServiceWorld, withService } from './world.ts';

const test = suite('push to glass');

const native7 = { serial: 'epd7-0000000000a1', dialect: 'native' } as const;
const classic7 = { serial: 'epd7-0000000000c1', dialect: 'classic' } as const;
const native13 = { serial: 'epd13-0000000000a2', dialect: 'native' } as const;

type Fleet = Awaited<ReturnType<ServiceWorld['startFrames']>>;

/** The digest of what a frame's glass really shows: its own memory, which the service cannot see. */
function glassOf(fleet: Fleet, serial: string): string {
  const glass = fleet.frames.get(serial)?.state.glass;
  return glass?.shows === 'picture' ? glass.sha256 : String(glass?.shows);
}

/** The digest of the picture that was made of a request for this frame. */
async function pictureOf(world: ServiceWorld, requestId: string, serial: string): Promise<string> {
  return (await world.context.db('uploads').where({ revision: requestId, serial }).first('picture_sha256'))
    ?.picture_sha256;
}

function photograph(): Promise<Buffer> {
  const pixels = Buffer.alloc(600 * 400 * 3, 0);
  for (let at = 0; at < pixels.length; at++) pixels[at] = (at * 7 + Math.floor(at / 1800)) % 256;
  return sharp(pixels, { raw: { width: 600, height: 400, channels: 3 } })
    .jpeg()
    .toBuffer();
}

/** Checks what two messages on three frames have left in the metrics; no id, serial or token among it (T-12). */
async function checkMetrics({ http, context, person }: ServiceWorld): Promise<void> {
  const text = await (await fetch(`${http}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('papergate_'));
  const values = new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  const least: readonly (readonly [string, number])[] = [
    ['papergate_synced_seconds_count', 6],
    ['papergate_prepared_seconds_count', 6],
    ['papergate_deliveries_total{state="synced"}', 6],
    ['papergate_render_seconds_count{outcome="ok"}', 4],
    ['papergate_picture_seconds_count{outcome="ok"}', 4],
    ['papergate_callback_attempts_total{outcome="delivered"}', 14],
    ['papergate_frame_connects_total', 3],
    ['papergate_frame_messages_total{dialect="native",message="hello"}', 2],
    ['papergate_downloads_total{outcome="whole"}', 6],
    ['papergate_http_request_seconds_count{method="GET",route="frames",status="200"}', 6],
  ];
  for (const [name, value] of least) assert.ok((values.get(name) ?? 0) >= value, `${name} ${values.get(name)}`);
  const content = '/v1/integration-papers/connections/:connectionId/content';
  assert.is(values.get(`papergate_http_request_seconds_count{method="POST",route="${content}",status="202"}`), 2);
  const ids = [
    ...(await context.db('devices').select('id', 'serial')),
    ...(await context.db('connections').select('id')),
  ];
  for (const id of [person.apiKey, ...ids.flatMap((row) => Object.values<string>(row))]) {
    assert.not.ok(text.includes(String(id)), `${id} is not in the metrics`);
  }
}

test('INV-43: a photograph with a caption, then a text, are on every glass when they are called synced', async () => {
  await withService(async (world) => {
    const frames = [native7, classic7, native13];
    const fleet = await world.startFrames(frames);
    const paper = await world.createPaper('plugin', postcardMeta(world.integration));
    const serials = frames.map(({ serial }) => serial);
    await world.showOn(paper, serials);
    const push = await world.connect(paper);
    const imageBase64 = (await photograph()).toString('base64');
    const contents = [
      { messageId: 'photo', text: 'A caption', imageBase64 },
      { messageId: 'text', text: 'Only words' },
    ];
    for (const content of contents) {
      const { requestId, state } = await push.submit(content);
      assert.is(state, 'accepted');
      await push.reach('synced', content.messageId, serials);
      for (const serial of serials) {
        assert.is(
          glassOf(fleet, serial),
          await pictureOf(world, requestId, serial),
          `${serial} shows ${content.messageId}`,
        );
      }
      await eventually('three synced callbacks', async () => {
        const own = [...world.integration.callbacks.values()].filter(({ body }) => body.requestId === requestId);
        return own.filter(({ body }) => body.state === 'synced').length === 3;
      });
    }
    const told = () => [...world.integration.callbacks.values()].map(({ body }) => body);
    await eventually('the first message is told to be replaced', async () =>
      told().some(({ state }) => state === 'superseded'),
    );
    for (const body of told()) assertDescribed(JSON.stringify(body));
    const versions = await world.context
      .db('uploads')
      .orderBy(['serial', 'file_version'])
      .select('serial', 'file_version');
    const pairs = versions.map((row) => `${row.serial} ${row.file_version}`);
    assert.is(new Set(pairs).size, pairs.length, 'INV-32: no version is given twice');
    await checkMetrics(world);
  });
});

longTest(test)(
  'T-49: frames that lie, or took half a picture, are never called synced; the honest one next to them is',
  async () => {
    await withService(async (world) => {
      const liars = [
        { serial: 'epd7-00000000bad1', dialect: 'native', behaviours: ['liar'] },
        { serial: 'epd7-00000000bad2', dialect: 'classic', behaviours: ['liar'] },
        { serial: 'epd7-00000000bad3', dialect: 'classic', behaviours: ['half-download'] },
        { serial: 'epd7-00000000bad4', dialect: 'native', behaviours: ['half-download'] },
      ] as const;
      const fleet = await world.startFrames([native7, ...liars]);
      const paper = await world.createPaper('plugin', postcardMeta(world.integration));
      const serials = [native7, ...liars].map(({ serial }) => serial);
      await world.showOn(paper, serials);
      const push = await world.connect(paper);
      const { requestId } = await push.submit({ messageId: 'one', text: 'Truth' });
      await push.reach('synced', 'one', [native7.serial]);
      // Each of them claims, fails or half-loads at least three times.
      await eventually('every frame tried three times', async () => {
        const tries = await world.context.db('frame_events').where({ type: 'hello' }).select('serial');
        return liars.every(({ serial }) => tries.filter((row) => row.serial === serial).length > 3);
      });
      const { deliveries } = await push.status();
      for (const { serial } of liars) {
        assert.is(deliveries.find(({ frameName }) => frameName === serial)?.state, 'prepared', serial);
        assert.is.not(glassOf(fleet, serial), await pictureOf(world, requestId, serial), serial);
      }
      assert.not.ok(
        [...world.integration.callbacks.values()].some(
          ({ body }) => body.state === 'synced' && body.frameName !== native7.serial,
        ),
      );
    });
  },
);

longTest(test)('an uploaded picture reaches the frame that shows its paper', async () => {
  await withService(async (world) => {
    const fleet = await world.startFrames([classic7]);
    const paper = await world.createPaper('image');
    await world.showOn(paper, [classic7.serial]);
    const form = new FormData();
    form.append('picture', new Blob([new Uint8Array(await photograph())]), 'photo.jpg');
    await callApi(world.person, 'POST', `/papers/uploadSingleImage/${paper}`, form);
    await eventually('the picture is on the glass', async () => {
      const upload = await world.context
        .db('uploads')
        .where({ serial: classic7.serial })
        .orderBy('offered_at', 'desc')
        .first();
      return (
        upload !== undefined && upload.fetched_at !== null && glassOf(fleet, classic7.serial) === upload.picture_sha256
      );
    });
  });
});

longTest(test)('A-30: what admits integrations on loopback admits no websites there', async () => {
  let asked = 0;
  const inside = createServer((_, response) => {
    asked++;
    response.setHeader('content-type', 'text/html').end('<h1>the printer of the house</h1>');
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo;
  try {
    await withService(async ({ context, person, http, startFrames, createPaper, showOn }) => {
      await startFrames([classic7]);
      const { db } = context;
      const { id } = await db('devices').first('id');
      const hosts = ['127.0.0.1', 'localhost', '2130706433', '[::1]'];
      for (const url of [...hosts.map((host) => `http://${host}:${port}/`), `${http}/metrics`]) {
        const refused = await callApi(person, 'POST', `/devices/updateSingleImageFromWebsite/${id}`, { url }).then(
          () => undefined,
          (error: Refused) => error,
        );
        assert.is(refused?.status, 400, url);
      }
      const paper = await createPaper('website', { url: `http://127.0.0.1:${port}/` });
      await showOn(paper, [classic7.serial]);
      const problem = await eventually('the website paper is refused', async () => {
        const shown = await db('shown_pictures').where({ device_id: id, paper_id: paper }).first('problem');
        return shown?.problem;
      });
      assert.is(wordsOf(readReasons(problem)), 'meta.url: the address is not public');
      assert.is(asked, 0);
    });
  } finally {
    inside.close();
  }
});

test('bad submissions get the words of the specification, and nothing is stored', async () => {
  await withService(async (world) => {
    await world.startFrames([native7]);
    const paper = await world.createPaper('plugin', postcardMeta(world.integration));
    const push = await world.connect(paper);
    const refusalOf = (credentials: ClientCredentials, body: unknown): Promise<Refused> =>
      callApi(credentials, 'POST', path, body).then(
        () => assert.unreachable('it was accepted'),
        (error) => error,
      );
    const path = `/v1/integration-papers/connections/${push.connectionId}/content`;
    const refusals: readonly (readonly [body: unknown, status: number, message: string])[] = [
      [{ messageId: 'a' }, 400, 'Text or image required'],
      [{ messageId: 'a', text: '   ' }, 400, 'Text or image required'],
      [{ text: 'no id' }, 400, 'Invalid integration request'],
      [{ messageId: 'a'.repeat(129), text: 'x' }, 400, 'Invalid integration request'],
      [{ messageId: 'a', text: 'x'.repeat(1001) }, 400, 'Invalid integration request'],
      [{ messageId: 'a', imageBase64: 'data:image/png;base64,AAAA' }, 400, 'Invalid image (maximum 20 MB)'],
      [
        { messageId: 'a', imageBase64: Buffer.from('no picture').toString('base64') },
        400,
        'Supported images: JPEG, PNG, WebP, maximum 40 MP',
      ],
      [{ messageId: 'a', imageBase64: 'A'.repeat(27_962_032) }, 400, 'Invalid image (maximum 20 MB)'],
      [{ messageId: 'a', imageBase64: 'A'.repeat(33_500_000) }, 400, 'Invalid image (maximum 20 MB)'],
      [{ messageId: 'a', imageBase64: 'A'.repeat(33_560_000) }, 413, 'The body is too large'],
    ];
    for (const [body, status, message] of refusals) {
      const refused = await refusalOf(push.backend, body);
      assert.is(refused.message, `${status} ${message}`);
      if (message.startsWith('Invalid image')) assert.match(refused.hint ?? '', /^at most 20 MiB, in standard Base64/);
    }
    const stranger = { url: world.http, bearer: 'x'.repeat(43) };
    assert.is((await refusalOf(stranger, { messageId: 'a', text: 'x' })).status, 401);
    const truncated = (await photograph()).subarray(0, 2000).toString('base64');
    assert.is((await refusalOf(push.backend, { messageId: 'a', imageBase64: truncated })).status, 400);
    for (const table of ['paper_contents', 'callback_events', 'deliveries']) {
      assert.equal(await world.context.db(table), [], `${table} is empty`);
    }
    const stored = await world.context.db('content_requests').select('state');
    assert.equal(stored, [], 'no request row either');
  });
});

test.run();
