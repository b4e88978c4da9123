/** A job of firmware with simulated frames, from its first step to its end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addImage, openImages } from '../../gateway/firmware/images.ts';
import { callApi } from '../call-api.ts';
import { eventually, type ServiceWorld, withService } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';

const test = suite('jobs of firmware');
const version = '1.5.0';
const patienceMs = 120_000;

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly handed: number;
  readonly total: number;
  readonly frames: Readonly<Record<'queued' | 'given' | 'proven' | 'failed', number>>;
}

/** Frames that were heard from, their device ids, and an image for them. */
async function furnish(world: ServiceWorld, behaviours: readonly (readonly string[])[]) {
  const { context, dataFolder } = world;
  const { db, clock, random } = context;
  const images = await openImages(dataFolder);
  const file = Buffer.alloc(20_000, 7);
  await addImage({ db, random, images }, { kind: 'epd7', dialect: 'native', version, file }, clock.now());
  const serials = behaviours.map((_, at) => `epd7-0000c0f1a00${at}`);
  const frames = serials.map((serial, at) => ({
    serial,
    dialect: 'native' as const,
    behaviours: behaviours[at] ?? [],
  }));
  const fleet = await world.startFrames(frames);
  const heard = () => db('frames').whereIn('serial', serials).whereNotNull('firmware');
  await eventually('all have said what they run', async () => (await heard()).length === serials.length, 30_000);
  const devices: string[] = [];
  for (const serial of serials) devices.push((await db('devices').where({ serial }).first('id')).id);
  return { serials, devices, fleet };
}

const jobsOf = ({ person, organizationId }: ServiceWorld) => {
  const base = `/organizations/${organizationId}/jobs/`;
  return {
    start: (json: object) => callApi<Job>(person, 'POST', base, json),
    read: (id: string) => callApi<Job>(person, 'GET', `${base}${id}`),
    undo: (id: string) => callApi<Job>(person, 'POST', `${base}${id}/undo`),
  };
};

longTest(test)('firmware grows by proof: one frame has it and comes back with it, then the others get it', () =>
  withService(async (world) => {
    const { serials, devices, fleet } = await furnish(world, [[], [], []]);
    const { db } = world.context;
    const jobs = jobsOf(world);
    const growth = { steps: [30], provenPercent: 100 };
    const { id, kind } = await jobs.start({ firmware: { kind: 'epd7', version }, devices, growth });
    assert.is(kind, 'firmware');
    const over = async () => (await jobs.read(id)).state === 'finished' || undefined;
    await eventually('the job is finished', over, patienceMs);
    const { handed, frames } = await jobs.read(id);
    assert.equal([handed, frames.proven, frames.failed], [3, 3, 0]);
    for (const serial of serials) assert.is(fleet.frames.get(serial)?.state.firmware, version, serial);
    const [first, ...others] = await db('job_items').where({ job_id: id }).orderBy('position');
    for (const { given_at: given } of others)
      assert.ok(given >= first.proven_at, 'no other before the first one’s proof');
    const again = await jobs.start({ firmware: { kind: 'epd7', version }, devices });
    await eventually('nothing is left to do', async () => (await jobs.read(again.id)).state === 'finished', patienceMs);
    assert.is((await jobs.read(again.id)).handed, 0, 'they have it already');
    await jobs.undo(id).then(
      () => assert.unreachable('firmware is not taken back'),
      (error: Error) => assert.match(error.message, /409|stays/),
    );
  }),
);

test.run();
