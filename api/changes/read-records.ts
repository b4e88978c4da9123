/** Reads which devices and papers were made or changed since a moment. */
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database.ts';
import { allRows } from '../../runtime/plain-sql.ts';
import type { Audience } from './read-changes.ts';

/** What happened to a record. A removed record is also one that went out of the caller's sight. */
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
  /** Those who are not told, because they see the record still. */
  readonly except?: Audience | undefined;
}

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly patient: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Reads the newest changes since a moment, epoch milliseconds; a record that changed twice is told once. */
export async function recordsSince(db: Database, since: number, limit: number): Promise<OwnedRecord[]> {
  const devices = await allRows<Row>(
    db,
    `select id, organization_id, patient, created_at, updated_at from devices
     where updated_at >= ? order by updated_at desc limit ?`,
    [since, limit],
  );
  // A patient sees the papers of their devices, whichever of the two names the other.
  const papers = await allRows<Row>(
    db,
    `select papers.id, papers.organization_id, papers.created_at, papers.updated_at, devices.patient
     from papers left join devices on devices.organization_id = papers.organization_id
       and devices.patient is not null and (devices.paper_id = papers.id or devices.id = papers.device_id)
     where papers.updated_at >= ? order by papers.updated_at desc limit ?`,
    [since, limit],
  );
  return [...devices.map((row) => owned('device', row)), ...merged(papers)];
}

/** Those who see a device. */
export function audienceOfDevice({ organization_id, patient }: Pick<Row, 'organization_id' | 'patient'>): Audience {
  return { organizationId: organization_id, patients: patient === null ? [] : [patient] };
}

function owned(record: RecordChange['record'], row: Row): OwnedRecord {
  const { id: recordId, created_at, updated_at } = row;
  const what = created_at === updated_at ? 'created' : 'changed';
  return {
    change: { id: `${recordId}.${updated_at}`, at: isoTime(updated_at), record, recordId, what },
    audience: { ...audienceOfDevice(row), isPaper: record === 'paper' },
  };
}

/** A paper stands in as many rows as it has patients. */
function merged(rows: readonly Row[]): OwnedRecord[] {
  const byId = new Map<string, OwnedRecord>();
  for (const row of rows) {
    const one = owned('paper', row);
    const before = byId.get(row.id);
    const patients = [...(before?.audience.patients ?? []), ...one.audience.patients];
    byId.set(row.id, { change: one.change, audience: { ...one.audience, patients } });
  }
  return [...byId.values()];
}
