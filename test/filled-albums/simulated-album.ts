/** Plays an album that fills itself under virtual time, with all that its source and its service may go through, and judges it. */
import { albumPicture } from '../../api/drawing/album-picture.ts';
import { type AlbumFiller, albumFiller } from '../../api/filled-albums/run-filler.ts';
import type { PaperRow } from '../../api/papers/store.ts';
import { alone } from '../../cluster/alone.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { handClock, seededRandom } from '../integration/integration-world.ts';
import type { AlbumWorld } from '../papers/album-world.ts';
import { type SimulatedSource, type SourceManner, simulatedSource } from './simulated-source.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The bugs that may be planted: each has to be found. */
export type PlantedAlbumBug = 'cached' | 'credulous' | 'forgetful';

/** An album's run: what broke a promise, and how much was tried. */
export interface AlbumRun {
  readonly broken: readonly string[];
  readonly wakes: number;
  readonly takenBack: number;
  readonly kills: number;
  readonly doubts: number;
}

/** Draws numbers and choices that a seed repeats. */
function dice(seed: number) {
  const { jitter } = seededRandom(`album ${seed}`);
  return {
    below: (most: number): number => Math.floor(jitter() * most),
    chance: (share: number): boolean => jitter() < share,
    oneOf: <Value>(values: readonly Value[]): Value | undefined => values[Math.floor(jitter() * values.length)],
  };
}
type Dice = ReturnType<typeof dice>;

/** Manners of a source, and how long each lasts: an answer that is doubtful for a short while, and one that stays so. */
const manners: readonly (readonly [SourceManner, number])[] = [
  ['empty', 20 * minuteMs],
  ['half', 20 * minuteMs],
  ['empty', 3 * hourMs],
  ['away', 2 * hourMs],
  ['away', 30 * hourMs],
  ['unusable', 2 * hourMs],
  ['gone', 3 * hourMs],
  ['gone', 20 * minuteMs],
  ['denied', 8 * hourMs],
];
/** The time in which a removal that is doubted, or that came during a fault, is seen and believed; after a refusal. */
const [believedMs, afterDenialMs] = [3.5 * hourMs, 6.5 * hourMs] as const;
/** A doubtful answer that lasts for less than this is never believed. */
const shortMs = 30 * minuteMs;

/** Plays one seed on the world's album and its frame, over some fifty looks. */
export async function playAlbum(world: AlbumWorld, seed: number, bug?: PlantedAlbumBug): Promise<AlbumRun> {
  const { db } = world;
  const clock = handClock(Date.UTC(2031, 0, 1) + seed * 7 * hourMs);
  const draw = dice(seed);
  const source = simulatedSource(clock);
  const service = playedService({ world, source, clock, seed, draw });
  const frames = draw.chance(0.5) ? 1 : 2;
  const isCalm = seed % 3 === 0;
  const places = Array.from({ length: frames }, () => 0);
  const shown = new Map<string, number>();
  const broken: string[] = [];
  await prepare(world, seed);
  for (let number = draw.below(30) + 3; number > 0; number--) source.put(`first-${number}`);
  const steady = new Set(source.held.keys());
  const truth = { honestSince: 0, afterDenial: false, lossAllowed: false, quietUntil: 0, mannerUntil: 0 };
  const run = { wakes: 0, takenBack: 0, kills: 0, doubts: 0 };
  await service.looks();

  for (let step = 0; step < 48; step++) {
    clock.passes((10 + draw.below(21)) * minuteMs);
    const now = clock.now();
    changeSource(source, { draw, steady, step, isCalm: isCalm && frames === 1 });
    if (source.manner !== 'honest' && now >= truth.mannerUntil) {
      truth.afterDenial = source.manner === 'denied';
      source.manner = 'honest';
      truth.honestSince = now;
      truth.quietUntil = now + 4 * hourMs;
    } else if (source.manner === 'honest' && now > truth.quietUntil && source.held.size >= 20 && draw.chance(0.15)) {
      const [manner, lasts] = draw.oneOf(isCalm ? manners.slice(0, 2) : manners) ?? ['empty', shortMs];
      source.manner = manner;
      truth.mannerUntil = now + lasts;
      truth.lossAllowed ||= lasts >= shortMs;
      if (manner === 'empty' || manner === 'half') run.doubts += 1;
    }
    source.repeats = draw.chance(0.2);
    source.cached = bug === 'cached';
    if (bug === 'credulous' && source.manner === 'empty') {
      await db('album_sources').update({ doubt_since: now - 2 * hourMs, doubt_found: 0, next_at: now });
    }
    if (bug === 'forgetful') await db('source_pictures').update({ round: 0 });
    if (draw.chance(0.15)) {
      await service.dies();
      run.kills += 1;
    }
    await service.looks();
    run.takenBack = Math.max(run.takenBack, source.takenBack.size);

    broken.push(...(await leftBehind(world, source, truth, now)).map((key) => `${seed}/${step}: ${key} is still here`));
    broken.push(...(await lost(world, source, truth)).map((key) => `${seed}/${step}: ${key} was lost`));
    const here = Number((await db('sent_pictures').where({ paper_id: world.album }).count({ all: '*' }).first())?.all);
    if (here > (frames === 1 ? 22 : 34)) broken.push(`${seed}/${step}: ${here} are here`);

    for (let frame = 0; frame < frames; frame++) {
      if (!draw.chance(frame === 0 ? 0.8 : 0.4)) continue;
      const key = await wakes(world, clock, places, frame);
      if (key === undefined) continue;
      run.wakes += 1;
      if (frame === 0) shown.set(key, (shown.get(key) ?? 0) + 1);
    }
    if (!isCalm || frames > 1) continue;
    const times = [...steady].map((key) => shown.get(key) ?? 0);
    if (Math.max(...times) - Math.min(...times) > 1) broken.push(`${seed}/${step}: some hung ${times.join()} times`);
  }
  return { broken: [...new Set(broken)], ...run };
}

/** The service that fills the album; it dies at any of its waits, and another one goes on. */
function playedService(given: {
  readonly world: AlbumWorld;
  readonly source: SimulatedSource;
  readonly clock: ReturnType<typeof handClock>;
  readonly seed: number;
  readonly draw: Dice;
}) {
  const { world, source, clock, seed, draw } = given;
  const random = seededRandom(`filler ${seed}`);
  let life = 0;
  let waits = Number.POSITIVE_INFINITY;
  let died = (): void => {};
  let dead = new Promise<void>(() => {});

  function begin(): AlbumFiller {
    const own = life;
    const passes = async (): Promise<void> => {
      waits -= 1;
      if (waits < 0) {
        life += 1;
        waits = Number.POSITIVE_INFINITY;
        died();
      }
      // A process that ended never goes on.
      if (own !== life) await new Promise(() => {});
    };
    return albumFiller({
      db: world.db,
      clock,
      random,
      logger: { ...silentLogger, error: (...all: unknown[]) => console.log(all) },
      single: alone.single,
      files: {
        async put(bytes) {
          await passes();
          return `file-${Buffer.from(bytes).toString('hex')}`;
        },
      },
      async normalizeImage(content) {
        await passes();
        return { ok: true, bytes: Buffer.from(content as Buffer), notes: [] };
      },
      open: async () => source.open(passes),
      nudgeLine: () => {},
    });
  }

  let filler = begin();
  return {
    /** Lets it do what is due now, as often as its rounds would. */
    async looks(): Promise<void> {
      for (let round = 0; round < 2; round++) {
        filler.nudge();
        await filler.settle();
      }
    },
    /** Has it end in the middle of its work; the next one begins. */
    async dies(): Promise<void> {
      dead = new Promise((resolve) => {
        died = resolve;
      });
      waits = draw.below(12);
      await Promise.race([dead, filler.settle()]);
      life += waits === Number.POSITIVE_INFINITY ? 0 : 1;
      waits = Number.POSITIVE_INFINITY;
      filler = begin();
    },
  };
}

async function prepare({ db, album, admin }: AlbumWorld, seed: number): Promise<void> {
  await db('album_sources').where({ paper_id: album }).delete();
  await db('sent_pictures').where({ paper_id: album }).delete();
  await db('album_queue').where({ paper_id: album }).delete();
  await db('filled_albums').where({ paper_id: album }).delete();
  await db('shown_pictures').delete();
  await db('papers')
    .where({ id: album })
    .update({ meta: JSON.stringify({ order: 'random' }) });
  const named = { id: `source-${seed}`, number: seed, paper_id: album, organization_id: admin.organizationId };
  const entered = { kind: 'played', sealed: '', place: '', title: 'Simulated', added_by: 'Ada' };
  await db('album_sources').insert({ ...named, ...entered, created_at: 1, next_at: 0 });
}

/** Pictures come, change, and are taken back; of a calm source those that were there first stay. */
function changeSource(
  source: SimulatedSource,
  { draw, steady, step, isCalm }: { draw: Dice; steady: Set<string>; step: number; isCalm: boolean },
): void {
  if (draw.chance(0.3)) source.put(`later-${step}`);
  const keys = [...source.held.keys()].filter((key) => !isCalm || !steady.has(key));
  if (draw.chance(0.1)) source.put(draw.oneOf(keys) ?? `changed-${step}`);
  if (draw.chance(0.05)) source.put([...source.takenBack.keys()].pop() ?? `again-${step}`);
  const count = draw.chance(0.3) ? 1 + draw.below(3) : draw.chance(0.03) ? Math.ceil(keys.length * 0.8) : 0;
  for (const key of keys.sort(() => draw.below(3) - 1).slice(0, count)) source.takeBack(key);
  for (const key of steady) if (!source.held.has(key)) steady.delete(key);
}

interface Truth {
  readonly honestSince: number;
  readonly afterDenial: boolean;
  lossAllowed: boolean;
}

/** The pictures that were taken back, and that are still here although the source has said so for long enough. */
async function leftBehind(
  { db, album }: AlbumWorld,
  source: SimulatedSource,
  { honestSince, afterDenial }: Truth,
  now: number,
): Promise<readonly string[]> {
  const rows: { key: string }[] = await db('sent_pictures')
    .join('source_pictures', 'source_pictures.id', 'sent_pictures.source_picture')
    .where('sent_pictures.paper_id', album)
    .select('source_pictures.key');
  const known: string[] = await db('source_pictures').pluck('key');
  const pending = known.filter((key) => source.takenBack.has(key)).length;
  const whole = source.wholeSince() ?? 0;
  return rows.flatMap(({ key }) => {
    const since = source.takenBack.get(key);
    if (since === undefined) return [];
    // Fewer than ten are believed with the first whole list, more of them with the second.
    const isSaid = source.manner === 'honest' && pending < 10 && whole > since;
    const hasPassed =
      source.manner === 'honest' && now - Math.max(since, honestSince) > believedMs + (afterDenial ? afterDenialMs : 0);
    return isSaid || hasPassed ? [key] : [];
  });
}

/** The pictures that are at the source, were listed, and are gone here without two answers that said so. */
async function lost({ db }: AlbumWorld, source: SimulatedSource, truth: Truth): Promise<readonly string[]> {
  const whole = source.wholeSince();
  if (whole === undefined) return [];
  const known = new Set<string>(await db('source_pictures').pluck('key'));
  const missing = [...source.held].filter(([key, { since }]) => since < whole && !known.has(key)).map(([key]) => key);
  // What a source took back by mistake for hours comes with its next whole list.
  if (missing.length === 0 && source.manner === 'honest') truth.lossAllowed = false;
  return truth.lossAllowed ? [] : missing;
}

/** A frame wakes and is given the next picture. Returns its key; undefined for an album without pictures. */
async function wakes(
  { db, album, deviceId }: AlbumWorld,
  clock: ReturnType<typeof handClock>,
  places: number[],
  frame: number,
): Promise<string | undefined> {
  const paper: PaperRow = await db('papers').where({ id: album }).first();
  const position = places[frame] ?? 0;
  const drawn = await albumPicture({ db, clock }, paper, { position, isPart: false });
  if (drawn === undefined) return undefined;
  places[frame] = position + drawn.passed + 1;
  const device_id = frame === 0 ? deviceId : `${deviceId.slice(0, -1)}${frame}`;
  const row = { device_id, paper_id: album, revision: 'r', attempts: 0, due_at: 0, updated_at: clock.now() };
  await db('shown_pictures')
    .insert({ ...row, turn: places[frame] })
    .onConflict('device_id')
    .merge();
  return (await db('source_pictures').where({ id: drawn.row.source_picture }).first('key'))?.key;
}
