/** Every kind of paper becomes a picture in its own way; rendering itself is played. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderForFrames } from '../../api/drawing/draw-paper.ts';
import type { RenderedPicture, WantedPicture } from '../../api/drawing/wanted-picture.ts';
import { pageOfPaper } from '../../api/integration/page-of-paper.ts';
import { openSettings, sealSettings } from '../../api/integration/paper-secrets.ts';
import { asRecord } from '../../api/integration/settings-frame/form-field.mjs';
import type { PageDocument } from '../../api/pages/document.ts';
import { orientationOf } from '../../api/papers/orientation.ts';
import type { RenderOptions } from '../../api/rendering/render-page.ts';
import { textOfPage } from '../../api/typeset/typeset-page.ts';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { spellOut, wordsOf } from '../../reasons/words.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { connect, push, type World, withWorld } from '../integration/integration-world.ts';
import { nothingOutside, workOnNone } from './nothing-outside.ts';

/** The words of a page, element by element. */
const wordsOfPage = (page: PageDocument | undefined): string => (page === undefined ? '' : textOfPage(page.root));

const test = suite('kinds of paper');

interface Kinds extends World {
  readonly pages: RenderOptions[];
  readonly documents: PageDocument[];
  /** Fields of warnings in the log. */
  readonly warnings: Record<string, unknown>[];
  picture(paperId: string, wanted?: Partial<WantedPicture>): Promise<RenderedPicture>;
  /** Returns the drawn picture as text. */
  drawn(paperId: string, wanted?: Partial<WantedPicture>): Promise<string>;
}

const twoLetters = reasonOf('letters-missing', { letters: '曜 月' });

async function withKinds(run: (world: Kinds) => Promise<void>): Promise<void> {
  await withWorld(async (world) => {
    const pages: RenderOptions[] = [];
    const documents: PageDocument[] = [];
    const { db, clock, files, deps } = world;
    const warnings: Record<string, unknown>[] = [];
    const logger = { ...silentLogger, warn: (fields: Record<string, unknown>) => void warnings.push(fields) };
    const render = renderForFrames({
      db,
      clock,
      files,
      logger,
      signImage: deps.signImage,
      openSettings: (paper, values) => openSettings(deps.sealKey, paper, values),
      pageOf: (paperId) => pageOfPaper({ db, rules: deps.settings, fetchManifest: deps.fetchManifest }, paperId),
      ...nothingOutside,
      readCalendars: async ({ meta }) => ({
        calendarAuth: {
          status: Array.isArray(meta.calendars) && meta.calendars.length === 0 ? 'ok' : 'failed',
          calendars: { a: 'status 404' },
        },
        calendarData: { calendars: [], events: [] },
        problems: { a: reasonOf('answer-status', { status: 404 }) },
        ...(meta.guessed === true && {
          remarks: { a: [reasonOf('calendar-zone-guessed', { zone: 'Home', taken: 'UTC' })] },
        }),
      }),
      rendering: {
        workOnRecipe: workOnNone,
        async renderPage(options) {
          pages.push(options);
          const problem = asRecord(options.payload?.settings).fails;
          if (typeof problem === 'string') return { ok: false, reason: problem };
          const drawn = { ok: true, png: Buffer.from(`page ${options.url}`), warnings: [] } as const;
          return options.language === 'ja' ? { ...drawn, missing: '曜月', remarks: [twoLetters] } : drawn;
        },
        async renderDocument(document) {
          documents.push(document);
          const isInJapanese = document.language === 'ja';
          return { ok: true, rgb: Buffer.from('document'), missing: isInJapanese ? '曜月' : '' };
        },
        async preparePicture(image, { fit, optimize }) {
          const file = Buffer.from(
            `${Buffer.from(image)} ${fit} ${optimize?.method === 'named' ? 'plain' : 'dithered'}`,
          );
          return { file, sha256: '', preview: async () => undefined };
        },
      },
    });
    const panel = panelOfKind('epd7');
    if (panel === undefined) throw new Error('no panel');
    const picture: Kinds['picture'] = (paperId, wanted) =>
      render({
        sharer: ['organization', paperId],
        paperId,
        panel,
        shown: { kind: 'page', id: 'r' },
        edition: 0,
        orientation: 'landscape',
        serial: 'epd7-1',
        ...wanted,
      });
    await run({
      ...world,
      pages,
      documents,
      warnings,
      picture,
      async drawn(paperId, wanted) {
        const made = await picture(paperId, wanted);
        return made.ok ? Buffer.from(made.file).toString() : `no: ${wordsOf(made.reason)}`;
      },
    });
  });
}

test('A-23: websites, texts and calendars are drawn; what is missing is named', async () => {
  await withKinds(async (world) => {
    const { addPaper, drawn, pages, documents } = world;
    const site = await addPaper({ url: 'http://example.org/a?b=c', timezone: 'Asia/Tokyo', css: 'p{}' }, 'website');
    assert.is(await drawn(site), 'page http://example.org/a?b=c contain dithered');
    const [{ url, timeZone, css, payload } = {} as RenderOptions] = pages;
    assert.equal([url, timeZone, css, payload], ['http://example.org/a?b=c', 'Asia/Tokyo', 'p{}', undefined]);
    for (const bad of [
      'ftp://example.org/',
      'https://a:b@example.org/',
      'https://exa mple.org',
      'http://127.0.0.1:1/',
      'http://localhost/',
      7,
    ]) {
      assert.match(await drawn(await addPaper({ url: bad }, 'website')), /^no: meta\.url: /);
    }
    const none = await addPaper({ url: 'http://256.0.0.1/' }, 'website');
    assert.match(await drawn(none), /^no: meta\.url: the address cannot be read/);
    assert.is(pages.length, 1);

    assert.is(await drawn(await addPaper({ text: 'Fish & <chips>', title: 'Menu' }, 'text')), 'document contain plain');
    assert.match(wordsOfPage(documents[0]), /Fish & <chips>/);
    assert.is(
      await drawn(await addPaper({ text: ' ' }, 'text')),
      'no: the paper has no text yet: write one (meta.text)',
    );

    assert.match(await drawn(await addPaper({}, 'website')), /^no: the paper names no website yet: set/);
    assert.is(await drawn(await addPaper({}, 'testcard')), 'document contain plain');
    assert.match(wordsOfPage(documents[1]), /Spectra 6.*800x480, landscape, stored turned 180° clockwise/s);
    documents.splice(1, 1);

    const week = await addPaper({ calendars: [], language: 'de', timezone: 'Europe/Berlin' }, 'calendar');
    assert.is(await drawn(week, { at: Date.parse('2026-03-28T23:30:00Z') }), 'document contain plain');
    assert.match(wordsOfPage(documents[1]), /Sonntag\n29\nMärz 2026\n.*\n29\n.*Nichts geplant/s);
    assert.is(await drawn(await addPaper({}, 'calendar')), 'no: no calendar could be read (a: status 404)');
    const told = async (name?: string) =>
      drawn(await addPaper({ calendars: [{ key: 'a', name, url: 'https://cal.example/b.ics' }] }, 'calendar'));
    assert.is(await told('Family; and all'), 'no: no calendar could be read (Family and all: status 404)');
    assert.is(await told(), 'no: no calendar could be read (cal.example: status 404)');
  });
});

test('A-26: a guessed zone is reported with the picture of a calendar, and of a page that got calendars', async () => {
  await withKinds(async ({ addPaper, picture }) => {
    const remarkOf = async (meta: Record<string, unknown>, kind: string) => {
      const made = await picture(await addPaper({ calendars: [], ...meta }, kind));
      return made.ok ? spellOut(made.remarks ?? []).map(({ code }) => code) : made.reason;
    };
    const told = ['of-calendar', 'calendar-zone-guessed'];
    assert.equal(await remarkOf({ guessed: true }, 'calendar'), told);
    assert.equal(await remarkOf({}, 'calendar'), []);
    const pluginManifest = { name: 'Week', renderPage: './r', requiredPermissions: ['googleCalendar'] };
    const pluginConfigUrl = 'https://plain.example/config.json';
    assert.equal(await remarkOf({ guessed: true, pluginConfigUrl, pluginManifest }, 'plugin'), told);
  });
});

test('R-24: characters that no font has are reported once for each paper, and a calendar whose own words they are is drawn in English', async () => {
  await withKinds(async ({ addPaper, drawn, picture, documents, warnings }) => {
    const week = await addPaper({ calendars: [], language: 'ja' }, 'calendar');
    await drawn(week);
    await drawn(week);
    assert.equal(
      documents.map(({ language }) => language),
      ['ja', 'en-GB', 'ja', 'en-GB'],
    );
    assert.equal(warnings, [{ paperId: week, letters: 2, install: 'apt install fonts-noto-cjk' }]);
    const site = await addPaper({ url: 'http://example.org/', language: 'ja' }, 'website');
    const made = await picture(site);
    assert.equal(made.ok && made.remarks, [twoLetters]);
    assert.equal(warnings.splice(1), [{ paperId: site, letters: 2, install: 'apt install fonts-noto-cjk' }]);
    // In a text they stand as they were written.
    const note = await addPaper({ text: 'x', language: 'ja' }, 'text');
    await drawn(note);
    assert.is(documents.length, 5);
    assert.is(warnings[1]?.paperId, note);
  });
});

test('PAGE-11: an integration gets calendars if it asks for them, and the manifest that counts', async () => {
  await withKinds(async (world) => {
    const meta = (requiredPermissions: string[]) => ({
      pluginConfigUrl: 'https://plain.example/config.json',
      pluginManifest: { name: 'Week', renderPage: './r', requiredPermissions },
      calendars: [],
    });
    await world.picture(await world.addPaper(meta(['googleCalendar'])));
    await world.picture(await world.addPaper(meta([])));
    const [asking, plain] = world.pages.map(({ payload }) => payload);
    assert.equal(asking?.calendarData, { calendars: [], events: [] });
    assert.not.ok(Object.hasOwn(plain ?? {}, 'calendarData'));
    const fetched = { name: 'Fetched', renderPage: './r', timezone: 'Asia/Tokyo' };
    world.manifests.set('https://plain.example/config.json', { ok: true, manifest: fetched });
    await world.picture(await world.addPaper({ pluginConfigUrl: 'https://plain.example/config.json' }));
    const { payload, timeZone } = world.pages[2] ?? ({} as RenderOptions);
    assert.match(JSON.stringify(payload), /"name":"Fetched"/);
    assert.is(timeZone, 'Asia/Tokyo');
  });
});

test('C-50: slides and playlists show papers of their own organization, and none of their own sort', async () => {
  await withKinds(async (world) => {
    const { addPaper, drawn, db } = world;
    const site = (name: string) => addPaper({ url: `https://${name}.example/` }, 'website');
    const [one, two, foreign] = [await site('one'), await site('two'), await site('foreign')];
    await db('papers')
      .where({ id: foreign })
      .update({ organization_id: await world.addOrganization() });
    const odd = await addPaper({}, 'hologram');
    const slides = await addPaper({ selectedPapers: [foreign, one, odd, two] }, 'slides');
    const nested = await addPaper({ selectedPapers: [slides, two] }, 'slides');
    const shown = await Promise.all([0, 1, 2].map((position) => drawn(slides, { position })));
    assert.equal(
      shown.map((text) => text.slice(13, 16)),
      ['one', 'two', 'one'],
    );
    assert.match(await drawn(nested, { position: 0 }), /two\.example/);
    assert.is(
      await drawn(await addPaper({ selectedPapers: [foreign, slides] }, 'slides')),
      `no: none of the papers of meta.selectedPapers can be shown (paper ${foreign} (): the paper was deleted; paper ${slides} (slides): it is itself made of other papers)`,
    );

    const entries = [one, foreign, slides].map((paperId, at) => ({
      paperId,
      startsAt: `2026-01-0${at + 1}T00:00:00Z`,
    }));
    const playlist = await addPaper({ playlistEntries: entries }, 'playlist');
    assert.match(await drawn(playlist), /one\.example/);
    assert.is(
      await drawn(playlist, { at: Date.parse('2025-12-31T23:59:00Z') }),
      'no: the playlist begins at 2026-01-01T00:00:00.000Z',
    );
    const gone = await addPaper({ playlistEntries: [{ ...entries[1], rrule: 'FREQ=DAILY' }] }, 'playlist');
    assert.match(await drawn(gone), /^no: no entry of meta\.playlistEntries has a paper that can be shown \(paper/);
    const broken = await addPaper({ selectedPapers: [await addPaper({}, 'text')] }, 'slides');
    assert.match(
      await drawn(broken),
      /^no: paper [0-9a-f]{24} \(text\): the paper has no text yet: write one \(meta\.text\)$/,
    );
    const gaps = await addPaper({ selectedPapers: [one, await addPaper({}, 'text'), two] }, 'slides');
    const passing = await Promise.all([0, 1, 2].map((position) => world.picture(gaps, { position })));
    assert.equal(
      passing.map((picture) => picture.ok && [Buffer.from(picture.file).toString().slice(13, 16), picture.passed]),
      [
        ['one', undefined],
        ['two', 1],
        ['two', undefined],
      ],
      'what has nothing to show yet is passed over',
    );
    for (const [kind, words] of [
      ['slides', /^no: nothing is chosen yet/],
      ['playlist', /^no: nothing is planned yet/],
    ] as const)
      assert.match(await drawn(await addPaper({}, kind)), words);
  });
});

test('an album whose pictures were all taken out says so in the language of the paper, and names itself', async () => {
  await withKinds(async ({ addPaper, drawn, documents }) => {
    for (const [language, words] of [
      ['de-CH', 'Noch keine Bilder'],
      ['en', 'No pictures yet'],
      ['ja', 'No pictures yet'],
    ]) {
      const album = await addPaper({ title: 'Familie <b>', language }, 'album');
      assert.match(await drawn(album), /^no: the album has no picture yet/);
      await drawn(album, { isShown: true });
      const written = wordsOfPage(documents.at(-1));
      assert.ok(written.includes(words ?? '') && written.includes('Familie <b>'), written);
    }
  });
});

test('nativeSettings of a manifest fill what the meta of its paper lacks', async () => {
  await withKinds(async (world) => {
    const nativeSettings = { orientation: 'landscape', lut: 'x', quality: 'high', language: 'fr' };
    const pluginConfigUrl = 'https://plain.example/config.json';
    const plain = { pluginConfigUrl, pluginManifest: { name: 'Week', renderPage: './r', nativeSettings } };
    const own = { ...plain, orientation: 'portrait', lut: 'default', quality: null, language: 'de' };
    for (const meta of [plain, own]) {
      const orientation = orientationOf(JSON.stringify(meta), '{"orientation":"portrait"}');
      await world.picture(await world.addPaper(meta), { orientation });
    }
    assert.equal(
      world.pages.map(({ width, height, language, payload }) => [width, height, language, payload?.nativeSettings]),
      [
        [800, 480, 'fr', { orientation: 'landscape', quality: 'high', lut: 'x' }],
        [480, 800, 'de', { orientation: 'portrait', quality: null, lut: 'default' }],
      ],
    );
  });
});

test('PAGE-27: what a person set wins over the manifest, and a copy of the manifest’s defaults is not a choice', async () => {
  await withKinds(async (world) => {
    const nativeSettings = { color: 'light', orientation: 'landscape', language: 'fr', locale: 'en', dayRange: 14 };
    const pluginConfigUrl = 'https://plain.example/config.json';
    const pluginManifest = { name: 'Tree', renderPage: './r', nativeSettings, requiredPermissions: [] };
    const set = { color: 'dark', orientation: 'portrait', language: 'de', locale: 'ja', dayRange: 7 };
    const asVendorSaves = { pluginConfigUrl, pluginManifest, ...nativeSettings, pluginSettings: set };
    assert.is(orientationOf(JSON.stringify(asVendorSaves), undefined), 'portrait');
    assert.is(
      orientationOf(JSON.stringify({ ...asVendorSaves, orientation: 'portrait', pluginSettings: {} }), undefined),
      'portrait',
    );
    for (const meta of [asVendorSaves, { pluginConfigUrl, pluginManifest, pluginSettings: set }]) {
      await world.picture(await world.addPaper(meta));
      const { payload, language } = world.pages.at(-1) ?? ({} as RenderOptions);
      const shown = payload?.meta as Record<string, unknown>;
      assert.equal([payload?.settings, shown.pluginSettings, shown.color, language], [set, set, 'dark', 'de']);
    }
    // Nothing set: the manifest's default, or what the paper itself says.
    const colourOf = async (meta: object) => {
      await world.picture(await world.addPaper({ pluginConfigUrl, pluginManifest, ...meta }));
      const settings = world.pages.at(-1)?.payload?.settings as { color?: string } | undefined;
      return settings?.color;
    };
    assert.is(await colourOf({}), 'light');
    assert.is(await colourOf({ color: 'red-light' }), 'red-light');
    assert.is(await colourOf({ color: 'red-light', pluginSettings: { color: 'dark' } }), 'dark');
  });
});

test('PAGE-27: a zone among nativeSettings is for the page to read, and not its clock', async () => {
  await withKinds(async ({ addPaper, picture, pages }) => {
    const pluginConfigUrl = 'https://plain.example/config.json';
    const nativeSettings = { timezone: 'Europe/Berlin' };
    const clockOf = async (manifest: object, meta: object = {}) => {
      const pluginManifest = { name: 'Hours', renderPage: './r', nativeSettings, ...manifest };
      await picture(await addPaper({ pluginConfigUrl, pluginManifest, ...meta }));
      return pages.at(-1)?.timeZone;
    };
    assert.is(await clockOf({}), undefined);
    assert.is(await clockOf({}, { timezone: 'Europe/Berlin' }), undefined, 'as the vendor’s application saves it');
    assert.is(await clockOf({}, { pluginSettings: { timezone: 'Asia/Tokyo' } }), undefined);
    assert.is(await clockOf({ timezone: 'Asia/Tokyo' }, { timezone: 'Europe/Berlin' }), 'Asia/Tokyo');
    assert.is(await clockOf({ timezone: 'Asia/Tokyo' }, { timezone: 'Asia/Seoul' }), 'Asia/Seoul');
  });
});

test('PAGE-29: settings stand in the page’s address for papers that ask for it alone', async () => {
  await withKinds(async ({ addPaper, picture, pages }) => {
    const formSchema = { type: 'object', properties: { pin: { type: 'string', format: 'password' } } };
    const pluginManifest = { name: 'Old', renderPage: './r', formSchema, nativeSettings: { color: 'light' } };
    const meta = { pluginConfigUrl: 'https://plain.example/config.json', pluginManifest };
    const pluginSettings = { title: 'Kitchen', pin: '1234' };
    for (const settingsInAddress of [undefined, false, 'true', 1, true]) {
      await picture(await addPaper({ ...meta, pluginSettings, settingsInAddress }));
    }
    const plain = 'https://plain.example/r';
    assert.equal(
      pages.map(({ url }) => url),
      [plain, plain, plain, plain, `${plain}?title=Kitchen&color=light`],
    );
  });
});

test('a page need not be ready in time, unless content was pushed to it', async () => {
  await withKinds(async (world) => {
    const { body } = await push(world, await connect(world, await world.addPerson('user')), {
      messageId: 'a',
      text: 'a',
    });
    await world.picture(world.paperId, { shown: { kind: 'content', id: String(body.requestId) } });
    const pluginManifest = { name: 'Tree', renderPage: './r' };
    await world.picture(await world.addPaper({ pluginConfigUrl: 'https://plain.example/config.json', pluginManifest }));
    assert.equal(
      world.pages.map(({ mustBeReady }) => mustBeReady),
      [true, false],
    );
  });
});

test('PAGE-21: only the renderer of the integration that pushed it gets pushed content', async () => {
  await withKinds(async (world) => {
    const { db, pages, paperId, origin, manifest } = world;
    const { body } = await push(world, await connect(world, await world.addPerson('user')), {
      messageId: 'a',
      text: 'a',
    });
    const shown = { kind: 'content', id: String(body.requestId) } as const;
    const given = async (meta: Record<string, unknown>) => {
      await world.setMeta(meta);
      const picture = await world.picture(paperId, { shown });
      return picture.ok
        ? [pages.at(-1)?.url, pages.at(-1)?.payload?.integrationContent !== undefined]
        : wordsOf(picture.reason);
    };
    const own = { pluginConfigUrl: `${origin}/notes/config.json`, pluginManifest: manifest };
    const page = `${origin}/notes/render.html`;
    const other = { pluginConfigUrl: 'https://other.example/notes/config.json', pluginManifest: manifest };
    const plain = { pluginConfigUrl: 'https://plain.example/config.json', pluginManifest: { renderPage: './r' } };
    assert.equal(await given(own), [page, true]);
    assert.equal(await given({ pluginConfigUrl: own.pluginConfigUrl }), [page, true]);
    assert.equal(await given(other), ['https://other.example/notes/render.html', false]);
    assert.equal(await given(plain), ['https://plain.example/r', false]);
    assert.is(await given({ pluginConfigUrl: plain.pluginConfigUrl }), 'the manifest could not be fetched: status 404');
    const newer = { ...own, pluginManifest: { ...manifest, renderPage: './v2.html' } };
    assert.equal(await given(newer), [`${origin}/notes/v2.html`, true], 'the same integration in its next version');
    // INV-72: the content outlives its request, and so does whose it is.
    await db('callback_events').delete();
    await db('content_requests').delete();
    assert.equal(await given(own), [page, true]);
    assert.equal(await given(other), ['https://other.example/notes/render.html', false]);
  });
});

test('T-67: pushed content whose image is missing or damaged is drawn by no page, since it would be called shown', () =>
  withKinds(async (world) => {
    const { paperId, files, pages } = world;
    const connection = await connect(world, await world.addPerson('user'));
    const content = { messageId: 'a', text: 'a', imageBase64: Buffer.from('a picture').toString('base64') };
    const { requestId } = (await push(world, connection, content)).body;
    const shown = { kind: 'content', id: String(requestId) } as const;
    assert.is((await world.picture(paperId, { shown })).ok, true);
    Object.assign(files, { get: async () => undefined });
    const reason = reasonOf('pushed-picture-lost');
    assert.equal(await world.picture(paperId, { shown }), { ok: false, reason });
    assert.is(pages.length, 1);
  }));

test('T-118: a page gets its secrets in the payload alone, another origin gets none, and its messages are shown without them', () =>
  withKinds(async ({ addPaper, drawn, pages, db, organizationId, deps, random, origin, manifest }) => {
    const id = await addPaper({});
    const store = async (pluginSettings: object, more: object = {}) => {
      const pluginConfigUrl = `${origin}/notes/config.json`;
      const meta = { pluginConfigUrl, pluginManifest: manifest, settingsInAddress: true, pluginSettings };
      const of = { id, organization_id: organizationId };
      const sealed = sealSettings({ sealKey: deps.sealKey, random }, of, JSON.stringify(meta));
      await db('papers')
        .where({ id })
        .update({ ...sealed, ...more });
      return sealed.meta;
    };
    const feedUrl = 'https://cal.example/private?key=sesame';
    const settings = { feedUrl, title: 'Kitchen' };
    const meta = await store(settings);
    await drawn(id);
    const { payload, url } = pages.at(-1) ?? {};
    assert.equal([payload?.settings, asRecord(payload?.meta).pluginSettings], [settings, settings]);
    assert.match(url ?? '', /title=Kitchen/);
    assert.not.match(url ?? '', /sesame|papergate-secret|feedUrl/);
    await store(settings, { meta: meta.replaceAll(origin, 'https://evil.example') });
    await drawn(id);
    assert.equal(pages.at(-1)?.payload?.settings, { title: 'Kitchen' });
    await store({ feedUrl, fails: `no answer of ${feedUrl} (${encodeURIComponent(feedUrl)})` });
    assert.is(await drawn(id), 'no: no answer of … (…)');
  }));

test.run();
