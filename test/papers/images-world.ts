/** A paper on a frame's device, real pictures for it, and the delivery line's part as a test plays it. */

import sharp from 'sharp';
import { FormData, request } from 'undici';
import * as assert from 'uvu/assert';
import { revisionOf } from '../../api/devices/shown-item.ts';
import { renderForFrames } from '../../api/drawing/draw-paper.ts';
import { type Orientation, panelOfKind } from '../../firmware-protocol/panels.ts';
import { wordsOf } from '../../reasons/words.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { nothingOutside, workOnNone } from '../delivery/nothing-outside.ts';
import type { Answer, HttpWorld, Person } from '../http/world.ts';
import { zeroPng } from '../rendering/hostile-images.ts';

export type Part = readonly [field: string, value: string | Buffer];

/** An image paper on a device with an epd7 frame, hung as said. */
export interface FramedPaper {
  readonly id: string;
  readonly deviceId: string;
  readonly serial: string;
  upload(parts: readonly Part[], as?: Person): Promise<Answer>;
  /** Renders what the paper shows and offers it, as the line does; gives the packed file. */
  offered(): Promise<Uint8Array>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
  row(): Promise<any>;
}

let frames = 0;

/** Registers a frame and creates a paper for its device. */
export async function framedPaper(
  world: HttpWorld,
  { kind = 'image', orientation = 'landscape' }: { kind?: string; orientation?: Orientation } = {},
): Promise<FramedPaper> {
  const { call, admin, db, clock, rendering, pictures } = world;
  const { organizationId: organization } = admin;
  const serial = `epd7-${(++frames).toString(16).padStart(12, '0')}`;
  await world.frames.provision(serial);
  await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json: { enable: true, organization } });
  const { id: deviceId } = await db('devices').where({ serial }).first();
  const json = { organization, deviceId, kind, meta: { orientation } };
  const { id } = (await call('POST', '/papers', { as: admin, json })).json;
  const row = () => db('papers').where({ id }).first();
  const render = renderForFrames({
    db,
    files: pictures,
    clock,
    logger: silentLogger,
    rendering: {
      ...rendering,
      renderPage: () => Promise.reject(new Error('no page is rendered here')),
      renderDocument: () => Promise.reject(new Error('no page is rendered here')),
      workOnRecipe: workOnNone,
    },
    ...nothingOutside,
    readCalendars: () => Promise.reject(new Error('no calendar is read here')),
    signImage: () => '',
    pageOf: async () => ({ problem: 'no page' }),
  });
  return {
    id,
    deviceId,
    serial,
    row,
    upload(parts, as = world.user) {
      const body = new FormData();
      for (const [field, value] of parts) {
        if (typeof value === 'string') body.append(field, value);
        else body.append(field, new Blob([new Uint8Array(value)]), 'image.jpg');
      }
      return call('POST', `/papers/uploadSingleImage/${id}`, { as, body });
    },
    async offered() {
      const paper = await row();
      const item = { kind: 'picture', id: String(paper.picture_revision) } as const;
      const revision = revisionOf(item);
      const panel = panelOfKind('epd7');
      if (panel === undefined) throw new Error('no such panel');
      const picture = await render({
        sharer: [world.user.organizationId, id],
        paperId: id,
        shown: item,
        edition: 0,
        panel,
        orientation: paper.meta.includes('portrait') ? 'portrait' : 'landscape',
        serial,
      });
      if (!picture.ok) throw new Error(wordsOf(picture.reason));
      const { file } = picture;
      const sha256 = await pictures.put(file);
      world.frames.offers.set(serial, { revision, sha256, failed: false, read: () => pictures.get(sha256) });
      const shown = {
        paper_id: id,
        revision,
        attempts: 0,
        due_at: clock.now(),
        problem: null,
        updated_at: clock.now(),
      };
      await db('shown_pictures')
        .insert({ device_id: deviceId, ...shown })
        .onConflict('device_id')
        .merge(shown);
      return file;
    },
  };
}

/** A PNG of one colour with a black corner, so that turns show. */
export function photo(width: number, height: number, background = '#7fa0d0'): Promise<Buffer> {
  const corner = { create: { width: 60, height: 40, channels: 3 as const, background: '#000000' } };
  return sharp({ create: { width, height, channels: 3, background } })
    .composite([{ input: corner, left: 0, top: 0 }])
    .png()
    .toBuffer();
}

/** A PNG that announces so many pixels and has almost none. */
export const bomb = (width: number, height: number): Buffer =>
  zeroPng({ width, height, depth: 8, colourType: 2, inflatesTo: 1000 });

/** Returns the answer of an address to somebody without credentials. */
export async function fetched(url: string): Promise<{ status: number; type: string; bytes: Buffer }> {
  const { statusCode, headers, body } = await request(url);
  const bytes = Buffer.from(await body.arrayBuffer());
  return { status: statusCode, type: String(headers['content-type']), bytes };
}

/** Puts bytes under an address, without credentials. */
export async function put(url: string, bytes: Buffer): Promise<{ status: number; json: Record<string, unknown> }> {
  const { statusCode, body } = await request(url, { method: 'PUT', body: bytes });
  return { status: statusCode, json: (await body.json()) as Record<string, unknown> };
}

/** Colour of a pixel as `rrggbb`, and the size. */
export async function pixels(image: Buffer) {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    size: `${info.width}x${info.height}`,
    at: (x: number, y: number) => data.toString('hex', (y * info.width + x) * 3, (y * info.width + x) * 3 + 3),
    colours: () => {
      const all = new Set<string>();
      for (let at = 0; at < data.length; at += 3) all.add(data.toString('hex', at, at + 3));
      return all;
    },
  };
}

/** Returns the value, which has to be there. */
export function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('it is not there');
  return value;
}

/** The answer of a call that must have succeeded. */
export function ok(answer: Answer): Answer {
  assert.is(answer.status, 200, answer.text);
  return answer;
}
