/** Reads which devices and papers were made or changed since a moment. */
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { viewersOfDevices, viewersOfPapers } from '../access/links.ts';
import type { Audience } from './read-changes.ts';

/** The changes of a record. A record that went out of the caller's sight counts as removed. */
export const recordDeeds = ['created', 'changed', 'removed'] as const;

/** A device or a paper that was made, changed or removed. */
export interface RecordChange {
  readonly id: string;
  readonly at: string;
  readonly record: 'device' | 'paper';
  readonly recordId: string;
  readonly what: (typeof recordDeeds)[number];
}

export interface OwnedRecord {
  readonly change: RecordChange;
  readonly audience: Audience;
  /** Those who are not notified, because they still see the record. */
  readonly except?: Audience | undefined;
}

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Reads the newest changes since a moment, epoch milliseconds; a record that changed twice is reported once. */
export async function recordsSince(db: Database, since: number, limit: number): Promise<OwnedRecord[]> {
  const changed = (table: 'devices' | 'papers'): Promise<readonly Row[]> =>
    allRows<Row>(
      db,
      `select id, organization_id, created_at, updated_at from ${table}
       where updated_at >= ? order by updated_at desc limit ?`,
      [since, limit],
    );
  const [devices, papers] = [await changed('devices'), await changed('papers')];
  const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);
  const ofDevices = await viewersOfDevices(db, idsOf(devices));
  const ofPapers = await viewersOfPapers(db, idsOf(papers));
  return [
    ...devices.map((row) => owned('device', row, ofDevices.get(row.id))),
    ...papers.map((row) => owned('paper', row, ofPapers.get(row.id))),
  ];
}

/** Returns those who see a device. */
export async function audienceOfDevice(db: Database, { id, organization_id }: Owned): Promise<Audience> {
  return { organizationId: organization_id, viewers: (await viewersOfDevices(db, [id])).get(id) ?? [] };
}

/** Returns those who see a paper. */
export async function audienceOfPaper(db: Database, { id, organization_id }: Owned): Promise<Audience> {
  return { organizationId: organization_id, viewers: (await viewersOfPapers(db, [id])).get(id) ?? [], isPaper: true };
}

type Owned = Pick<Row, 'id' | 'organization_id'>;

function owned(record: RecordChange['record'], row: Row, viewers: readonly string[] = []): OwnedRecord {
  const { id: recordId, created_at, updated_at, organization_id: organizationId } = row;
  const what = created_at === updated_at ? 'created' : 'changed';
  return {
    change: { id: `${recordId}.${updated_at}`, at: isoTime(updated_at), record, recordId, what },
    audience: { organizationId, viewers, ...(record === 'paper' && { isPaper: true }) },
  };
}
