/** Devices: frames as the people's side knows them. */
import { createTable, type Migration } from '../../gateway/runtime/database.ts';

/** `assignment` counts every change of paper or organization, so that a frame that returns is told apart (D-3). */
export const deviceTables: Migration = {
  name: 'api-02-devices',
  async up(db) {
    await createTable(
      db,
      'devices',
      `id text primary key, organization_id text not null references organizations(id), serial text unique,
       kind text, patient text, paper_id text, assignment integer not null, meta text not null,
       details text not null, created_at integer not null, updated_at integer not null`,
    );
    await db.raw('create index devices_by_paper on devices (paper_id)');
    await db.raw('create index devices_by_organization on devices (organization_id, created_at)');
  },
};
