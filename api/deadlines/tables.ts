/** The tables of deadlines: what is due by when, each day of it on each frame, and what people were notified of. */
import type { Knex } from 'knex';
import { isPostgres, laterTables, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** Deadlines: which picture is to be proven on which frames, and by when. Times are epoch milliseconds. */
const deadlines = defineTable(
  'deadlines',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id) on delete cascade',
    name: 'text not null',
    // The paper whose picture is due; null for a timed picture of a device's own.
    paper_id: 'text references papers(id) on delete cascade',
    // A picture that is shown at a time; null for whatever the paper shows.
    timed_id: 'text',
    // An entry of the paper, which is a playlist.
    entry_id: 'text',
    // The one revision that counts, for a push; null for the newest.
    revision: 'text',
    // JSON list of device ids; null where places name the frames, or where the paper does.
    devices: 'text',
    // JSON list of places; null where none is named.
    places: 'text',
    // The one time; null for a rule.
    by_at: 'integer',
    // JSON of `DeadlineRule`; null for one time.
    rule: 'text',
    time_zone: 'text not null',
    // How new the picture has to be at `by_at`, in minutes; null for however old.
    fresh_minutes: 'integer',
    grade: 'text not null',
    // JSON list of `DeadlineStep`.
    steps: 'text not null',
    author: 'text not null',
    // In which messages to people are worded.
    language: 'text not null',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    withdrawn_at: 'integer',
    // The time up to which its days are open.
    opened_until: 'integer not null',
    // When the next day of it opens; null when none comes.
    due_at: 'integer',
  },
  [
    'create index deadlines_due on deadlines (due_at) where due_at is not null',
    'create index deadlines_by_organization on deadlines (organization_id, created_at)',
    'create index deadlines_by_paper_id on deadlines (paper_id) where paper_id is not null',
  ],
);

/** No day is open twice while no frame is to show it. */
const frameless =
  'create unique index deadline_occurrences_frameless on deadline_occurrences (deadline_id, by_at) where device_id is null';

/** One day of a deadline on one frame. Times are epoch milliseconds. */
const occurrences = defineTable(
  'deadline_occurrences',
  {
    id: 'text primary key',
    deadline_id: 'text not null references deadlines(id) on delete cascade',
    // Null while no frame is to show it.
    device_id: 'text references devices(id) on delete cascade',
    // Null while no frame is bound to the device.
    serial: 'text',
    by_at: 'integer not null',
    // Counts how often another picture became due.
    round: 'integer not null default 1',
    state: 'text not null',
    // As `storedReasons` writes it; null where all is well.
    cause: 'text',
    // The wanted picture that was judged; null before there was one.
    wanted: 'text',
    wanted_since: 'integer not null',
    // Since when it is in this state.
    since: 'integer not null',
    // The expected wake that was judged.
    wake_at: 'integer',
    proof_at: 'integer',
    grade: 'text',
    upload_id: 'text',
    will_miss_at: 'integer',
    // 0 where the cause came after the last wake (DL-24); null before it was unavoidable.
    foreseeable: 'integer',
    acknowledged_at: 'integer',
    acknowledged_by: 'text',
    acknowledged_until: 'integer',
    // How many of its steps were taken, and from when on the next one counts.
    steps_taken: 'integer not null default 0',
    step_at: 'integer',
    // When it is to be looked at next; null at the end.
    due_at: 'integer',
    looked_at: 'integer not null',
    created_at: 'integer not null',
  },
  [
    'unique (deadline_id, device_id, by_at)',
    frameless,
    'create index deadline_occurrences_due on deadline_occurrences (due_at) where due_at is not null',
    'create index deadline_occurrences_open on deadline_occurrences (serial) where due_at is not null',
    'create index deadline_occurrences_by_device on deadline_occurrences (device_id, by_at)',
    'create index deadline_occurrences_by_age on deadline_occurrences (by_at)',
  ],
);

/** The changes of state that people are notified of, each once. */
const events = defineTable(
  'deadline_events',
  {
    id: 'text primary key',
    occurrence_id: 'text not null references deadline_occurrences(id) on delete cascade',
    round: 'integer not null',
    kind: 'text not null',
    at: 'integer not null',
    cause: 'text',
    proof_at: 'integer',
    grade: 'text',
  },
  ['unique (occurrence_id, round, kind)'],
);

/** Notices that steps of deadlines owe: a message to a channel or a person, or the paper on another frame. */
const notices = defineTable(
  'deadline_notices',
  {
    id: 'text primary key',
    occurrence_id: 'text not null references deadline_occurrences(id) on delete cascade',
    step: 'integer not null',
    // The state at that time.
    state: 'text not null',
    target_kind: 'text not null',
    target_id: 'text not null',
    urgent: 'integer not null',
    created_at: 'integer not null',
    // When it is next to be sent; while that is done, the end of the claim; null at the end.
    due_at: 'integer',
    claim: 'text',
    attempts: 'integer not null default 0',
    sent_at: 'integer',
    last_error: 'text',
  },
  [
    'create index deadline_notices_due on deadline_notices (due_at) where due_at is not null',
    'create index deadline_notices_by_occurrence on deadline_notices (occurrence_id)',
    'create index deadline_notices_claimed on deadline_notices (claim) where claim is not null',
  ],
);

/** The tables of this subject. */
export const deadlinesTables = [deadlines, occurrences, events, notices] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const deadlineMigrations: readonly Migration[] = [
  laterTables('deadlines', deadlinesTables),
  {
    name: 'deadlines-2-frameless',
    declaredIn: 'deadlines-tables',
    up: async (db) => {
      if (isPostgres(db)) await db.raw('alter table deadline_occurrences alter column device_id drop not null');
      else await allowFrameless(db);
      await db.raw(frameless);
    },
  },
];

/** SQLite takes no constraint from a column: the table is made again, with those that refer to it. */
async function allowFrameless(db: Knex): Promise<void> {
  const names = ['deadline_occurrences', 'deadline_events', 'deadline_notices'];
  const made: string[] = await db('sqlite_master')
    .whereIn('tbl_name', names)
    .whereNotNull('sql')
    .orderByRaw("type = 'index', tbl_name = 'deadline_occurrences' desc")
    .pluck('sql');
  for (const name of names) await db.raw(`create temp table old_${name} as select * from ${name}`);
  for (const name of names.toReversed()) await db.raw(`drop table ${name}`);
  for (const sql of made) await db.raw(sql.replace('device_id text not null', 'device_id text'));
  for (const name of names) {
    await db.raw(`insert into ${name} select * from old_${name}`);
    await db.raw(`drop table old_${name}`);
  }
}
