/** The console's pictures in the documents, taken again: `node --import tsx test/accept.ts console`. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { pick, withFiles } from './pick-files.ts';

const root = resolve(import.meta.dirname, '../..');
const names = ['Kitchen', 'Hallway', 'Grandmother'] as const;
const serials = names.map((_, at) => `epd7-0000c0d0c00${at}`);

/** Three frames of a family: a photograph, a text, and a picture that waits for the next wake. */
async function furnish({ person, organizationId, startFrames, showOn }: ConsoleWorld): Promise<string> {
  await startFrames(serials.map((serial) => ({ serial, dialect: 'native' as const })));
  const devices = await callApi<{ id: string; serial: string }[]>(person, 'GET', '/devices/overview');
  const make = async (kind: string, meta: object): Promise<string> => {
    const body = { deviceId: devices[0]?.id, kind, organization: organizationId, meta };
    return (await callApi<{ id: string }>(person, 'POST', '/papers/', body)).id;
  };
  const photo = await make('image', { title: 'Holidays', orientation: 'landscape' });
  const form = new FormData();
  const picture = readFileSync(join(root, 'docs/pictures/photo-epd7.png'));
  form.append('picture', new Blob([picture], { type: 'image/png' }), 'photo.png');
  const headers = { 'x-api-key': String(person.apiKey) };
  const sent = await fetch(`${person.url}/papers/uploadSingleImage/${photo}`, { method: 'POST', headers, body: form });
  if (!sent.ok) throw new Error(await sent.text());
  const text = await make('text', {
    title: 'Note',
    text: 'Dinner is at seven.\nBring bread.',
    orientation: 'landscape',
  });
  const week = await make('testcard', { title: 'Test card', orientation: 'landscape' });
  await showOn(photo, serials.slice(0, 1));
  await showOn(text, serials.slice(1, 2));
  await showOn(week, serials.slice(2));
  for (const { id, serial } of devices) {
    await callApi(person, 'POST', `/devices/${id}`, { meta: { name: names[serials.indexOf(serial)] } });
  }
  return devices.find(({ serial }) => serial === serials[1])?.id ?? '';
}

/** The page of a guest of an album that a frame shows. */
async function openGuest({ person, http, createPaper, showOn, openPage }: ConsoleWorld): Promise<ConsolePage> {
  const album = await createPaper('album', { title: 'Family album', orientation: 'landscape' });
  await showOn(album, serials.slice(2));
  const wish = { name: 'Aunt Erna', maxPictures: 20, showsResult: true };
  const { url } = await callApi<{ url: string }>(person, 'POST', `/papers/${album}/guest-links/`, wish);
  const guest = await openPage({ userId: null, width: 390 });
  await guest.page.goto(`${http}/console/guest${url.slice(url.indexOf('#'))}`);
  await guest.sees('Hello Aunt Erna!');
  return guest;
}

/** Takes the pictures. */
export async function consolePictures(): Promise<(readonly [path: string, content: Buffer])[]> {
  const taken: (readonly [string, Buffer])[] = [];
  await withConsole(async (world) => {
    const device = await furnish(world);
    const wide = await world.openPage({ width: 1200 });
    await eventually('three pictures are proven', async () => {
      const shown = await wide.page.$$eval('.hung img', (all) => all.filter(({ complete }) => complete).length);
      return shown >= 3 && ((await wide.text()).match(/Confirmed by the frame/g)?.length ?? 0) === 3;
    });
    const take = async (name: string, page = wide.page): Promise<void> => {
      // A page in the background draws nothing.
      await page.bringToFront();
      await new Promise((resolve) => setTimeout(resolve, 800));
      taken.push([`docs/pictures/console-${name}.png`, Buffer.from(await page.screenshot())]);
    };
    await wide.page.setViewport({ width: 1200, height: 520 });
    await take('frames');
    await wide.page.setViewport({ width: 1200, height: 860 });
    for (const [name, place] of [
      ['frame', `frames/${device}`],
      ['papers', 'papers'],
    ] as const) {
      await wide.goTo(place);
      await take(name);
    }
    await wide.page.setViewport({ width: 1200, height: 500 });
    await wide.goTo('frames/add');
    await take('add');
    const phone = await world.openPage({ width: 390, scheme: 'dark', language: 'de' });
    await phone.sees('Vom Rahmen bestätigt');
    await take('phone', phone.page);
    const guest = await openGuest(world);
    await withFiles({ 'meadow.png': readFileSync(join(root, 'docs/pictures/photo-epd7.png')) }, async (paths) => {
      await pick(guest, paths);
      await guest.page.waitForSelector('.preview[aria-busy=false] img');
      await guest.page.setViewport({ width: 390, height: 1180 });
      await take('guest', guest.page);
    });
  });
  return taken;
}
