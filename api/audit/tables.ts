/** The table of who did what. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/**
 * Names are as they were then, since what they name may be renamed or removed. An entry goes with its organization,
 * whose log it is.
 */
const auditEntries = defineTable(
  'audit_entries',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id) on delete cascade',
    // Epoch milliseconds.
    at: 'integer not null',
    actor: 'text not null',
    account_id: 'text',
    user_id: 'text',
    actor_name: 'text not null',
    key_id: 'text',
    key_name: 'text',
    action: 'text not null',
    object_kind: 'text not null',
    object_id: 'text',
    object_name: 'text not null',
    address: 'text not null',
    // A JSON object of values.
    detail: 'text not null',
  },
  [
    'create index audit_entries_by_time on audit_entries (organization_id, at, id)',
    'create index audit_entries_by_age on audit_entries (at)',
  ],
);

/** The tables of this subject. */
export const auditTables = [auditEntries] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const auditMigrations: readonly Migration[] = [baseline('audit', auditTables)];
