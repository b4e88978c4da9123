/** Papers with live sources become pictures that say how old their data are, each part of a board for itself. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderForFrames } from '../../api/drawing/draw-paper.ts';
import type { RenderedPicture } from '../../api/drawing/wanted-picture.ts';
import { recipeReader } from '../../api/recipes/recipe-papers.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { hourMs } from '../alerts/alert-world.ts';
import { normalizePlayed, playedRendering } from '../http/played-pictures.ts';
import { gradient } from '../papers/line-world.ts';
import { type LiveWorld, withLivePapers } from '../recipes/live-world.ts';

const test = suite('pictures of live sources');

type Draws = (paperId: string) => Promise<RenderedPicture & { readonly ok: true }>;

/** The renderer of the line over a world; pages are played, pictures and boards are drawn. */
async function renderer({ db, clock, pictures, follow, pages }: LiveWorld): Promise<Draws> {
  const png = await gradient();
  const panel = panelOfKind('epd7');
  if (panel === undefined) throw new Error('no panel');
  const render = renderForFrames({
    db,
    clock,
    files: pictures,
    logger: silentLogger,
    signImage: () => '',
    pageOf: async () => ({ url: 'https://page.example/', manifest: { name: 'Page' } }),
    readCalendars: async () => ({
      calendarAuth: { status: 'partial', calendars: { a: 'ok', b: 'no' } },
      calendarData: { calendars: [], events: [] },
      answeredAt: { a: 7_000 },
      problems: { b: { code: 'calendar-not-read' } },
    }),
    readRecipe: recipeReader({ db, clock, follow, work: playedRendering.workOnRecipe }),
    follow,
    normalizeImage: normalizePlayed,
    rendering: {
      ...playedRendering,
      async renderPage(page) {
        pages.push(page);
        return { ok: true, png, warnings: [] };
      },
    },
  });
  return async (paperId) => {
    const drawn = await render({
      sharer: ['organization', paperId],
      paperId,
      panel,
      shown: { kind: 'page', id: paperId },
      edition: 0,
      orientation: 'landscape',
      serial: 'epd7-1',
    });
    if (!drawn.ok) throw new Error(JSON.stringify(drawn.reason));
    return drawn;
  };
}

const codes = ({ remarks = [] }: RenderedPicture & { readonly ok: true }): string[] => remarks.map(({ code }) => code);
const markup = '{{ a }} {% if trmnl.papergate.is_old %}old {{ trmnl.papergate.data_at }}{% endif %}';

test('a recipe, a picture at an address and a board of both show the last data, and say since when', async () => {
  const png = await gradient();
  let isDown = false;
  await withLivePapers(
    ({ path }, response) => {
      if (isDown) response.writeHead(503).end();
      else if (path === '/p.png') response.writeHead(200, { 'content-type': 'image/png' }).end(png);
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":"monday"}');
    },
    async (world) => {
      const { addPaper, passes, clock, pages, db } = world;
      const draws = await renderer(world);
      const page = async () =>
        String((await pages.at(-1)?.files?.read('https://recipe.papergate.invalid/'))?.body).replaceAll(/\s+/g, ' ');
      const template = { addresses: 'https://a.example/data', markup, everyMinutes: 15 };
      const { id: recipe } = (await addPaper('recipe', { title: 'Data', template })).json;
      const { id: remote } = (await addPaper('remote', { title: 'Radar', url: 'https://b.example/p.png' })).json;
      const { id: text } = (await addPaper('text', { text: 'Hello' })).json;
      const { id: empty } = (await addPaper('recipe', { title: 'Empty' })).json;
      const parts = [recipe, remote, text, empty];
      const { id: board } = (await addPaper('board', { arrangement: 'quarters', parts })).json;
      const first = await draws(recipe);
      const at = first.sources?.[0]?.answeredAt ?? 0;
      assert.equal(first.sources, [{ name: 'a.example', answeredAt: at }]);
      assert.ok(clock.now() - at < 60_000);
      assert.match(await page(), /monday </);
      assert.equal(
        (await draws(remote)).sources?.map(({ name }) => name),
        ['b.example'],
      );
      const whole = await draws(board);
      assert.equal(
        whole.sources?.map(({ name, paperId, problem }) => [name, paperId, problem]),
        [
          ['a.example', recipe, undefined],
          ['b.example', remote, undefined],
        ],
      );
      assert.equal(codes(whole), ['part-failed'], 'the part that is not set up');

      isDown = true;
      passes(2 * hourMs);
      const stale = await draws(recipe);
      assert.equal(stale.sources?.[0]?.answeredAt, at, 'the data of then');
      assert.equal([stale.sources?.[0]?.problem?.code, codes(stale)], ['answer-status', ['source-stale']]);
      assert.match(await page(), new RegExp(`monday old ${Math.floor(at / 1_000)}`));
      const old = await draws(board);
      assert.equal(
        old.sources?.map(({ problem }) => problem?.code),
        ['answer-status', 'answer-status'],
      );
      assert.equal(codes(old), ['part-failed', 'source-stale', 'source-stale']);
      assert.ok(Buffer.from(old.file).equals(Buffer.from(whole.file)), 'the other parts are as they were');
      assert.is((await db('remote_pictures')).length, 1);
      await db('papers').where({ id: remote }).update({ meta: '{"url":"https://c.example/p.png"}' });
      isDown = false;
      await draws(remote);
      const rows: { host: string }[] = await db('remote_pictures');
      assert.equal(
        rows.map(({ host }) => host),
        ['c.example'],
        'a former address is no source any longer',
      );
    },
  );
});

test('a calendar says when each of its feeds answered, by the name that people call it', () =>
  withLivePapers(
    (_, response) => response.writeHead(404).end(),
    async (world) => {
      const draws = await renderer(world);
      const calendars = [
        { key: 'a', name: 'Family', url: 'https://a.example/a.ics' },
        { key: 'b', name: 'School', url: 'https://a.example/b.ics' },
      ];
      const { id } = (await world.addPaper('calendar', { calendars })).json;
      assert.equal((await draws(id)).sources, [
        { name: 'Family', answeredAt: 7_000 },
        { name: 'School', answeredAt: null, problem: { code: 'calendar-not-read' } },
      ]);
    },
  ));

test('a program sees who looks and the fields without secrets, also over data that a recipe brings along', () =>
  withLivePapers(
    (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":"b"}'),
    async (world) => {
      const { call, admin, addPaper, pages } = world;
      const draws = await renderer(world);
      const transform = `function run({ a, trmnl }) {
        const { user, plugin_settings: { custom_fields_values: fields, instance_name: name } } = trmnl;
        return { a: [a, user.locale, user.time_zone_iana, name, fields.city, fields.word === ''].join(' ') };
      }`;
      const fields =
        'custom_fields:\n  - keyname: city\n    field_type: string\n    name: City\n  - keyname: word\n    field_type: password\n    name: Word\n';
      for (const strategy of [
        'strategy: polling\npolling_url: https://a.example/',
        `strategy: static\nstatic_data: '{"a":"b"}'`,
      ]) {
        const settings = `name: Board\n${strategy}\n${fields}`;
        const json = { organization: admin.organizationId, settings, transform, views: { full: '{{ a }}' } };
        const { id: recipe } = (await call('POST', '/recipes/', { as: admin, json })).json;
        const pluginSettings = { city: 'Ulm', word: 'sesame-sesame' };
        const meta = { title: 'Hall', language: 'de', timezone: 'Europe/Berlin', recipe, pluginSettings };
        const { id } = (await addPaper('recipe', meta)).json;
        assert.equal(codes(await draws(id)), [], strategy);
        const file = await pages.at(-1)?.files?.read('https://recipe.papergate.invalid/');
        assert.match(String(file?.body), /b de Europe\/Berlin Hall Ulm true/, strategy);
      }
    },
  ));

test.run();
