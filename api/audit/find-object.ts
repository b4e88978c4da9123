/** Finds what a call is about: its organization, and its name at this moment. */
import type { Database } from '../../runtime/database/database.ts';
import { isId } from '../../runtime/random.ts';
import type { AuditedKind } from '../http/audited.ts';
import { titleSql } from '../papers/store.ts';

/** The object of a call. An object of an account has no organization: it concerns all that the account is in. */
export interface FoundObject {
  readonly id: string;
  readonly name: string;
  readonly organizationId?: string;
}

interface ObjectRow {
  readonly id: string;
  readonly name: string | null;
  readonly organization_id?: string;
}

type FindRow = (db: Database, id: string) => Promise<ObjectRow | undefined>;

const find: Readonly<Record<AuditedKind, FindRow>> = {
  organization: (db, id) => db('organizations').where({ id }).first('id', 'name', 'id as organization_id'),
  user: (db, id) =>
    db('users').where({ id }).first('id', 'organization_id', db.raw(`coalesce(nullif(name, ''), email) as name`)),
  account: (db, id) => db('accounts').where({ id }).first('id', 'email as name'),
  key: (db, id) => db('api_keys').where({ id }).first('id', 'name'),
  session: (db, id) => db('sessions').where({ id }).first('id', 'browser as name'),
  passkey: (db, id) => db('passkeys').where({ id }).first('id', 'name'),
  // Some addresses name a frame by its serial.
  device: (db, id) =>
    db('devices')
      .where(isId(id) ? { id } : { serial: id.toLowerCase() })
      .first('id', 'organization_id', db.raw(`coalesce(nullif(name, ''), serial) as name`)),
  paper: (db, id) =>
    db('papers')
      .where({ id })
      .first('id', 'organization_id', db.raw(`${titleSql(db)} as name`)),
  // A picture that is shown at a time bears the name of where it is shown.
  picture: async (db, id) => {
    const row = await db('timed_pictures').where({ id }).first('organization_id', 'paper_id', 'device_id');
    if (row === undefined) return undefined;
    const place = await (row.paper_id === null ? find.device(db, row.device_id ?? '') : find.paper(db, row.paper_id));
    return { id, name: place?.name ?? null, organization_id: row.organization_id };
  },
  connection: (db, id) => db('connections').where({ id }).first('id', 'name', 'organization_id'),
  deadline: (db, id) =>
    db('deadlines as d')
      .leftJoin('papers', 'papers.id', 'd.paper_id')
      .where({ 'd.id': id })
      .first(
        'd.id',
        'd.organization_id',
        db.raw(
          `coalesce(nullif(d.name, ''), (select ${titleSql(db)} from papers where papers.id = d.paper_id)) as name`,
        ),
      ),
  channel: (db, id) => db('alert_channels').where({ id }).first('id', 'name', 'organization_id'),
  group: (db, id) => db('frame_groups').where({ id }).first('id', 'name', 'organization_id'),
  job: (db, id) => db('jobs').where({ id }).first('id', 'name', 'organization_id'),
  rollout: (db, id) =>
    db('firmware_rollouts as r')
      .join('firmware_images as i', 'i.id', 'r.image_id')
      .where({ 'r.id': id })
      .first('r.id', 'r.owner as organization_id', db.raw(`i.kind || ' ' || i.version as name`)),
};

/** Finds an object; undefined when there is none. */
export async function findObject(db: Database, kind: AuditedKind, id: string): Promise<FoundObject | undefined> {
  const row = await find[kind](db, id);
  if (row === undefined) return undefined;
  const { organization_id: organizationId } = row;
  return { id: row.id, name: row.name ?? '', ...(organizationId !== undefined && { organizationId }) };
}
