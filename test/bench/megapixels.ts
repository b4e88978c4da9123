/**
 * Prints the memory that the service takes for large photographs: `node --import tsx test/bench/megapixels.ts`, on Linux.
 * AT_ONCE (24) previews of 39 megapixels come at once, then as many uploads, from the households of one service. FORMATS
 * (jpeg,progressive) are their encodings; START, where it is given, stands before the command that starts the service, as
 * `node`. Memory is what all its processes but the browser's hold: resident, which counts twice what they share, and
 * proportional, which counts it once. Limits: 700 MB resident at most, and within 60 MB of idle REST (60) seconds after.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp, { type Sharp } from 'sharp';
import { deviceOf, householdOf, sendAs, uploadImage } from './abuse/attack.ts';
import { type HeldMemory, heldByParts } from './abuse/memory.ts';
import { formOf } from './abuse/send.ts';
import { openStage, type Scene } from './abuse/stage.ts';
import { ordinaryPicture } from './abuse/victim.ts';

const atOnce = Number(process.env.AT_ONCE ?? 24);
const restMs = Number(process.env.REST ?? 60) * 1000;
const formats = (process.env.FORMATS ?? 'jpeg,progressive').split(',');
const limitMb = 700;
const leftLimitMb = 60;
const sampleMs = 50;

const encodings: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  jpeg: (image) => image.jpeg({ quality: 88 }),
  progressive: (image) => image.jpeg({ quality: 88, progressive: true }),
  png: (image) => image.blur(6).png({ compressionLevel: 3 }),
  webp: (image) => image.webp({ quality: 80, effort: 0 }),
};

/** A photograph of 39 megapixels as cameras make them: fine noise over soft shapes. */
async function photographOf39Megapixels(format: string, turn: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 110 + turn * 8, sigma: 40 } as const;
  const create = { width: 3_900, height: 2_500, channels: 3, background: '#888', noise } as const;
  const small = await sharp({ create }).blur(0.8).png({ compressionLevel: 1 }).toBuffer();
  const encode = encodings[format];
  if (encode === undefined) throw new Error(`FORMATS: ${format} is none of ${Object.keys(encodings).join(', ')}`);
  return encode(sharp(small).resize(7_800, 5_000, { kernel: 'cubic' })).toBuffer();
}

/** Sends until it is taken, and counts the refusals: for want of room, or of the time that one picture may take. */
async function untilTaken(ask: () => Promise<number>): Promise<number> {
  for (let refused = 0; ; refused++) {
    const status = await ask();
    if (status < 300) return refused;
    if (![400, 429, 503].includes(status) || refused > 30) throw new Error(`an answer of ${status}`);
    await pause(1_000);
  }
}

type Ask = (scene: Scene, at: number, picture: Buffer) => Promise<number>;

/** The calls with a photograph, by the name of their round. */
const rounds: Readonly<Record<string, Ask>> = {
  previews(scene, at, picture) {
    const household = householdOf(scene, at);
    const { type, body } = formOf({ picture });
    const path = `/previews/?deviceId=${deviceOf(household, at)}`;
    return sendAs(scene, household, { method: 'POST', path, headers: { 'content-type': type }, body });
  },
  uploads(scene, at, picture) {
    const household = householdOf(scene, at);
    return uploadImage(
      scene,
      household,
      deviceOf(household, Math.floor(at / 4)),
      picture,
      new AbortController().signal,
    );
  },
};

/** Looks at the memory while something is done, and returns the most. */
async function watched(pid: number, work: () => Promise<unknown>): Promise<HeldMemory> {
  const most = { resident: 0, proportional: 0, main: 0, others: 0 };
  const timer = setInterval(() => {
    for (const [name, mb] of Object.entries(heldByParts(pid)) as [keyof HeldMemory, number][]) {
      most[name] = Math.max(most[name], mb);
    }
  }, sampleMs);
  await work().finally(() => clearInterval(timer));
  return most;
}

const row = (name: string, { resident, proportional, main, others }: HeldMemory, more = ''): void =>
  console.log(`| ${[name, ...[resident, proportional, main, others].map((mb) => mb.toFixed(0)), more].join(' | ')} |`);

async function play(folder: string): Promise<boolean> {
  const pictures = await Promise.all(formats.map(photographOf39Megapixels));
  console.log(pictures.map(({ length }, at) => `${formats[at]} of ${(length / 1e6).toFixed(1)} MB`).join(', '));
  const stage = await openStage(folder, { before: process.env.START?.split(' ') });
  try {
    const small = await ordinaryPicture(0);
    // What is loaded at the first picture counts as idle: a service that never saw one is no service.
    for (const ask of Object.values(rounds))
      for (const at of [0, 1, 2, 3]) await untilTaken(() => ask(stage.scene, at, small));
    await pause(restMs);
    const idle = heldByParts(stage.pid);
    console.log('| | resident, MB | proportional, MB | main process | its others | |\n|---|---|---|---|---|---|');
    row('idle', idle);
    let isWithin = true;
    for (const [name, ask] of Object.entries(rounds)) {
      const began = performance.now();
      let refused = 0;
      const all = Array.from({ length: atOnce }, async (_, at) => {
        refused += await untilTaken(() => ask(stage.scene, at, pictures[at % pictures.length] ?? Buffer.alloc(0)));
      });
      const most = await watched(stage.pid, () => Promise.all(all));
      row(name, most, `${((performance.now() - began) / 1000).toFixed(1)} s, ${refused} refused`);
      isWithin &&= most.resident <= limitMb;
    }
    for (const part of [1 / 6, 5 / 6]) {
      await pause(restMs * part);
      row(`${Math.round((restMs * part) / 1000)} s later`, heldByParts(stage.pid));
    }
    return isWithin && heldByParts(stage.pid).resident - idle.resident <= leftLimitMb;
  } finally {
    await stage.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'papergate-megapixels-'));
try {
  const isWithin = await play(folder);
  console.log(isWithin ? 'within the limits' : 'beyond the limits');
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
