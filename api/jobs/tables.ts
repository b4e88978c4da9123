/** The tables of jobs and of groups. Times are epoch milliseconds. */
import { laterTables, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** One change for many frames. A job and its items go with their organization. */
const jobs = defineTable(
  'jobs',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id) on delete cascade',
    name: 'text not null',
    // What it gives, as `FrameChange`.
    change: 'text not null',
    // The paper that the change names; the job ends when it is removed.
    paper_id: 'text',
    // The picture that the change shows, one file for all items.
    picture_key: 'text',
    // The group whose frames it reached when the group was given something, or a frame joined it.
    group_id: 'text',
    account_id: 'text not null',
    author: 'text not null',
    state: 'text not null',
    // Why it is paused or has failed, as `storedReasons` writes it.
    reason: 'text',
    // Its rules, as `JobRules`.
    rules: 'text not null',
    total: 'integer not null',
    // How many frames were given something new: it only grows, and never beyond what the proofs so far allow.
    handed: 'integer not null default 0',
    // What had failed, and been handed, when somebody resumed it last: seen by a person.
    seen_failed: 'integer not null default 0',
    seen_handed: 'integer not null default 0',
    created_at: 'integer not null',
    changed_at: 'integer not null',
    // Null as long as something is still to be given, proven or taken back.
    ended_at: 'integer',
  },
  [
    'create index jobs_live on jobs (created_at) where ended_at is null',
    `create index jobs_paused on jobs (changed_at) where state = 'paused'`,
    'create index jobs_by_organization on jobs (organization_id, created_at)',
    'create index jobs_by_picture on jobs (picture_key) where picture_key is not null',
  ],
);

/** A frame of a job. The device may be removed meanwhile: the item stays, with its name. */
const jobItems = defineTable(
  'job_items',
  {
    job_id: 'text not null references jobs(id) on delete cascade',
    device_id: 'text not null',
    position: 'integer not null',
    frame_name: 'text not null',
    state: 'text not null',
    // 1 where the frame had it already, or nothing of it can be proven: it counts neither as handed nor as a proof.
    skipped: 'integer not null default 0',
    // As `storedReasons` writes it.
    reason: 'text',
    // What the frame had before, as `FrameBefore`; null while it was given nothing new.
    before: 'text',
    // The image of the device's own that it was given.
    revision: 'text',
    given_at: 'integer',
    proven_at: 'integer',
    changed_at: 'integer not null',
  },
  ['primary key (job_id, device_id)', 'create index job_items_by_state on job_items (job_id, state, position)'],
);

/** Frames with something in common, which a frame joins by getting it, and then gets what the group gives. */
const frameGroups = defineTable(
  'frame_groups',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id) on delete cascade',
    name: 'text not null',
    // Who is in it, as `GroupMatch`.
    match: 'text not null',
    // The paper that it gives; null for none.
    paper_id: 'text',
    // The fields of meta that it gives, a JSON object; null for none.
    settings: 'text',
    account_id: 'text not null',
    author: 'text not null',
    created_at: 'integer not null',
    // When what it gives was changed last: of groups of one rank the latest wins.
    given_at: 'integer not null',
    changed_at: 'integer not null',
  },
  ['create index frame_groups_by_organization on frame_groups (organization_id, name, id)'],
);

/** The frames that have joined a group: they have been given what it gives, and are not given it again. */
const frameGroupMembers = defineTable(
  'frame_group_members',
  {
    group_id: 'text not null references frame_groups(id) on delete cascade',
    device_id: 'text not null references devices(id) on delete cascade',
    joined_at: 'integer not null',
  },
  [
    'primary key (group_id, device_id)',
    'create index frame_group_members_by_device on frame_group_members (device_id)',
  ],
);

/** The tables of this subject. */
export const jobsTables = [jobs, jobItems, frameGroups, frameGroupMembers] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const jobMigrations: readonly Migration[] = [laterTables('jobs', jobsTables)];
