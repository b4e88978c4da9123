/** The load of a small machine: many large photographs at once, and many pages. */
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import sharp from 'sharp';
import { callApi } from '../call-api.ts';
import { deviceOf, householdOf, makePaper, sendAs } from './abuse/attack.ts';
import { formOf } from './abuse/send.ts';
import type { Scene } from './abuse/stage.ts';

const lateMs = 120_000;

/** A JPEG of forty million pixels as cameras make them: fine noise over soft shapes. */
export async function photographOf40Megapixels(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
  const create = { width: 4_000, height: 2_500, channels: 3, background: '#888', noise } as const;
  const small = await sharp({ create }).blur(0.8).png({ compressionLevel: 1 }).toBuffer();
  return sharp(small).resize(8_000, 5_000, { kernel: 'cubic' }).jpeg({ quality: 88 }).toBuffer();
}

/** Uploads the picture so often at once, from four households, each until it is taken. @returns how often one was refused */
export async function uploadAtOnce(scene: Scene, times: number, picture: Buffer): Promise<number> {
  const { type, body } = formOf({ picture, forceUpload: 'true' });
  const headers = { 'content-type': type };
  let refused = 0;
  await Promise.all(
    Array.from({ length: times }, async (_, at) => {
      const household = householdOf(scene, at);
      const path = `/devices/uploadSingleImage/${deviceOf(household, Math.floor(at / scene.attackers.length))}`;
      for (;;) {
        const status = await sendAs(scene, household, { method: 'POST', path, headers, body, timeoutMs: 600_000 });
        if (status < 300) return;
        if (![400, 429, 503].includes(status)) throw new Error(`an upload was answered with ${status}`);
        refused++;
        await pause(2_000);
      }
    }),
  );
  return refused;
}

/**
 * Has so many pages drawn: the texts of papers that frames show are changed, each as soon as its last picture is offered.
 * @returns the milliseconds from each change to the offer
 */
export async function drawPages(scene: Scene, pages: number): Promise<number[]> {
  const rows = new Sqlite(scene.databaseFile, { readonly: true });
  const offers = rows.prepare<[string], { offers: number }>('select count(*) as offers from uploads where serial = ?');
  const took: number[] = [];
  let left = pages;
  const drawOn = async (at: number): Promise<void> => {
    const household = householdOf(scene, at);
    const frame = household.frames[Math.floor(at / scene.attackers.length)];
    if (frame === undefined) throw new Error('there are not so many frames');
    const person = { url: scene.http, apiKey: household.apiKey };
    const options = { deviceId: frame.deviceId, kind: 'text', organization: household.organizationId };
    const meta = (text: string) => ({ orientation: 'landscape', text });
    const id = await makePaper(scene, household, { at: Math.floor(at / scene.attackers.length), kind: 'text' });
    await callApi(person, 'POST', `/devices/${frame.deviceId}`, { paper: id });
    while (left-- > 0) {
      const before = offers.get(frame.serial)?.offers ?? 0;
      const from = performance.now();
      await callApi(person, 'POST', `/papers/${id}`, { ...options, meta: meta(`Page ${left}`) });
      while ((offers.get(frame.serial)?.offers ?? 0) <= before) {
        if (performance.now() - from > lateMs) throw new Error('a page was not drawn in two minutes');
        await pause(20);
      }
      took.push(performance.now() - from);
      // An account may call 300 times a minute.
      await pause(Math.max(0, 250 - (performance.now() - from)));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(4, pages) }, (_, at) => drawOn(at)));
  } finally {
    rows.close();
  }
  return took;
}
