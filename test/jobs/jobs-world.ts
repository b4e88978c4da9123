/** Frames that jobs change, and the delivery line's and the frames' part as a test plays it. */
import { papersOfDevices } from '../../api/delivery-state/papers-of-devices.ts';
import { readRevision } from '../../api/devices/shown-item.ts';
import { rememberPicture } from '../../api/devices/shown-pictures.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import type { HttpWorld, Person } from '../http/world.ts';

/** A frame of a person's organization. */
export interface JobFrame {
  readonly id: string;
  readonly serial: string;
}

/** A served world with frames, papers and jobs. */
export interface JobsWorld {
  readonly base: string;
  /** Frames by name, registered and activated. */
  frames(count: number, meta?: Record<string, unknown>): Promise<JobFrame[]>;
  paper(title: string): Promise<string>;
  /** Makes a job and returns the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  job(json: Record<string, unknown>, as?: Person): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  read(id: string): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  steer(id: string, way: string, as?: Person): Promise<any>;
  /** The line offers what the device's paper shows; the frame takes it, shows it and confirms it at its next wake. */
  proves(device: JobFrame): Promise<void>;
  /** The paper that the device is set to. */
  paperOf(device: JobFrame): Promise<string | null>;
  metaOf(device: JobFrame): Promise<Record<string, unknown>>;
}

let made = 0;

/** Opens the view of the first organization's admin, or of another person. */
export function jobsOf(world: HttpWorld, person: Person = world.admin): JobsWorld {
  const { call, db, clock, random } = world;
  const { organizationId: organization } = person;
  const base = `/organizations/${organization}/jobs/`;
  const row = ({ id }: JobFrame) => db('devices').where({ id }).first();

  async function frame(meta: Record<string, unknown>): Promise<JobFrame> {
    const serial = `epd7-${(++made + 0x10000).toString(16).padStart(12, '0')}`;
    await world.frames.provision(serial);
    const json = { enable: true, organization };
    const { device } = (await call('POST', `/devices/registerdevice/${serial}`, { as: person, json })).json;
    await db('devices')
      .where({ id: device.id })
      .update({ meta: JSON.stringify(meta) });
    const known = { dialect: 'native', activation: 'activated' } as const;
    await frameRegistry(db).change(serial, { ...known, last_contact_at: clock.now() }, clock.now());
    return { id: device.id, serial };
  }

  return {
    base,
    async frames(count, meta = {}) {
      const frames: JobFrame[] = [];
      for (let one = 0; one < count; one++) frames.push(await frame(meta));
      return frames;
    },
    async paper(title) {
      const { id: deviceId } = (await call('POST', '/devices/', { as: person, json: { organization } })).json;
      const json = { deviceId, kind: 'image', organization, meta: { title } };
      const { id } = (await call('POST', '/papers/', { as: person, json })).json;
      await call('DELETE', `/devices/${deviceId}`, { as: person });
      await db('papers').where({ id }).update({ picture_revision: random.id(), image_updated_at: clock.now() });
      return id;
    },
    job: (json, as = person) => call('POST', base, { as, json }),
    read: async (id) => (await call('GET', `${base}${id}`, { as: person })).json,
    steer: (id, way, as = person) => call('POST', `${base}${id}/${way}`, { as }),
    async proves(device) {
      const now = clock.now();
      const [paper] = await papersOfDevices(db, [device.id]);
      const newest = await uploadLog(db).newest(device.serial);
      const own = newest?.revision.startsWith('device-image:') === true;
      if (!own && paper?.revision) {
        const { paper_id: paperId, revision } = paper;
        const sha256 = await world.frames.storePicture(Buffer.from(`${revision} for ${device.serial}`));
        const made = { sha256, bytes: 10, format: 'nibble', panel: 'epd7' } as const;
        await db.transaction(async (trx) => {
          await uploadLog(trx).offer({ serial: device.serial, revision, ...made }, { now, random });
          const edition = (await trx('papers').where({ id: paperId }).first()).edition;
          await rememberPicture(trx, { deviceId: device.id, paperId, shown: readRevision(revision), edition }, now);
        });
      }
      const upload = await uploadLog(db).newest(device.serial);
      // A frame that was offered nothing is in contact all the same.
      if (upload === undefined)
        return void (await frameRegistry(db).change(device.serial, { last_contact_at: now }, now));
      const { id, file_version, picture_sha256: glass_sha256 } = upload;
      const times = { announced_at: now, fetched_at: now, shown_at: now, confirmed_at: now };
      await db('uploads').where({ id }).update(times);
      const told = { reported_version: file_version, picture_synced: 1, last_contact_at: now, glass_sha256 } as const;
      await frameRegistry(db).change(device.serial, told, now);
    },
    paperOf: async (device) => (await row(device)).paper_id,
    metaOf: async (device) => JSON.parse((await row(device)).meta),
  };
}

/** The ids of frames. */
export const idsOf = (frames: readonly JobFrame[]): string[] => frames.map(({ id }) => id);
