/** A home with something on every screen of the console. */
import sharp from 'sharp';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { withPages } from '../rendering/render-world.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';

const serial = 'epd7-0000c0501e61';

/** Makes a picture as a camera would. */
export const photograph = (): Promise<Buffer> =>
  sharp({ create: { width: 900, height: 700, channels: 3, background: '#3c7a3c' } })
    .jpeg()
    .toBuffer();

/** A place of the console, and the text by which it is whole. */
export type ConsolePlace = readonly [place: string, awaited: string | RegExp];

/** The text for a guest whose link has taken all the pictures that it takes: nothing can be sent there. */
export const usedUp = 'You have sent as many pictures as this link takes.';

/** A home with something on every screen. Returns its screens. */
async function furnish(world: ConsoleWorld, origin: string): Promise<readonly ConsolePlace[]> {
  const { http, person, organizationId, context, createPaper, showOn, startFrames } = world;
  const fleet = await startFrames([{ serial, dialect: 'native' }]);
  const note = await createPaper('text', { title: 'Note', text: 'Good morning' });
  const papers = new Map<string, string>([['text', note]]);
  const metas: Record<string, object> = {
    album: {},
    calendar: {},
    image: {},
    slides: { selectedPapers: { [note]: true } },
    playlist: { timezone: 'Europe/Berlin' },
    plugin: { pluginConfigUrl: `${origin}/notes/config.json` },
    website: { url: `${origin}/notes/render.html` },
    testcard: {},
    printer: {},
  };
  for (const [kind, meta] of Object.entries(metas)) papers.set(kind, await createPaper(kind, { title: kind, ...meta }));
  const album = papers.get('album') ?? '';
  const link = { name: 'Erna', showsResult: true };
  const { url } = await callApi<{ url: string }>(person, 'POST', `/papers/${album}/guest-links/`, link);
  const full = await callApi<{ id: string; url: string }>(person, 'POST', `/papers/${album}/guest-links/`, {
    name: 'Otto',
    maxPictures: 1,
  });
  await context.db('guest_links').where({ id: full.id }).update({ used: 1 });
  await showOn(note, [serial]);
  const form = new FormData();
  form.append('picture', new Blob([new Uint8Array(await photograph())]), 'garden.jpg');
  form.append('showFrom', new Date(Date.now() + 86_400_000).toISOString());
  const headers = { 'x-api-key': person.apiKey ?? '' };
  const kept = await fetch(`${http}/papers/uploadSingleImage/${papers.get('image')}`, {
    method: 'POST',
    headers,
    body: form,
  });
  assert.ok(kept.ok, await kept.text());
  const invited = { organization: organizationId, email: 'ida@example.org', role: 'user' };
  await callApi(person, 'POST', '/users/', invited);
  const { id: device } = await context.db('devices').where({ serial }).first('id');
  const shown = () => context.db('uploads').where({ serial }).whereNotNull('confirmed_at').first();
  await eventually('the note on the glass', shown);
  const { id: job } = await callApi<{ id: string }>(person, 'POST', `/organizations/${organizationId}/jobs/`, {
    name: 'Menus',
    devices: [device],
    meta: { sleepTime: '600' },
  });
  await callApi(person, 'POST', `/organizations/${organizationId}/groups/`, { name: 'Menus', tag: 'menu' });
  // It wakes every second, and every open page would read it again each time: those who walk over them call too often.
  await fleet.stop();
  return [
    ['frames', 'On the wall since'],
    ['frames?view=table', 'On the wall since'],
    ['frames/jobs', 'Jobs'],
    [`frames/jobs/${job}`, 'Save the report'],
    ['frames/groups', 'With the tag menu'],
    ['frames/add', 'Add a frame'],
    ['frames/add?way=simulated', 'What should it look like?'],
    [`frames/${device}`, 'It is the first picture here'],
    [`frames/${device}/settings`, 'Remove frame'],
    [`frames/${device}/technical`, 'The newest picture'],
    [`frames/${device}/record`, 'What hung where'],
    ['send', 'Waits until'],
    ['papers', 'timetable'],
    ['papers/new', 'Integration'],
    ...[...papers].map(
      ([kind, id]): ConsolePlace => [`papers/${id}`, kind === 'plugin' ? 'Nothing is connected' : 'Remove'],
    ),
    [`papers/${papers.get('plugin')}/settings`, 'This integration describes no fields of its own.'],
    ['people', 'ida@example.org'],
    ['service', 'Happening now'],
    ['service/firmware', 'no firmware to offer'],
    ['service/numbers', 'On the disk'],
    ['service/record', 'How long it is kept'],
    ['service/alerts', 'Nothing is wrong'],
    ['service/log', 'made Note'],
    ['account', 'this browser'],
    ['api', /\d+ operations/],
    [`guest${new URL(url).hash}`, 'Hello Erna!'],
    [`guest${new URL(full.url).hash}`, usedUp],
  ];
}

/** Runs with a furnished home; its catalogue and its integration are served beside it. */
export function withHome(run: (world: ConsoleWorld, places: readonly ConsolePlace[]) => Promise<void>): Promise<void> {
  const manifest = { name: 'Kitchen notes', renderPage: './render.html', requiredPermissions: ['paper:content:write'] };
  const pages: Record<string, string> = {
    '/notes/config.json': JSON.stringify(manifest),
    '/notes/render.html': '<!doctype html><title>Notes</title>',
  };
  return withPages(pages, ({ origin }) => {
    const integrations = [{ name: 'Notes', configUrl: `${origin}/notes/config.json` }];
    pages['/catalogue.json'] = JSON.stringify({ name: 'Neighbourhood', integrations });
    const environment = { PAPERGATE_CATALOGUES: `${origin}/catalogue.json` };
    return withConsole(async (world) => run(world, await furnish(world, origin)), environment);
  });
}
