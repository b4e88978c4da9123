/** The tables of the service level: how many pictures of a day were proven in time, and what an organization aims at. */
import { laterTables, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** Pictures that were offered on a day, as far as they are judged. */
const levelDays = defineTable(
  'level_days',
  {
    organization_id: 'text not null references organizations(id) on delete cascade',
    // Days since 1970, in UTC.
    day: 'integer not null',
    pictures: 'integer not null',
    in_time: 'integer not null',
  },
  ['primary key (organization_id, day)', 'create index level_days_by_day on level_days (day)'],
);

/** The aims of organizations; without a row the target is the first one. */
const levelTargets = defineTable('level_targets', {
  organization_id: 'text primary key references organizations(id) on delete cascade',
  // The share of pictures in time, in thousandths.
  target: 'integer not null',
  updated_at: 'integer not null',
});

/** The tables of this subject. */
export const levelTables = [levelDays, levelTargets] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const levelMigrations: readonly Migration[] = [laterTables('service-level', levelTables)];
