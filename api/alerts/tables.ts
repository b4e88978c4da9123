/** The tables of alerts: outages, the channels that notify people, and what each channel still has to send. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/** A channel by which people are notified, of an organization or the operator. */
const alertChannels = defineTable(
  'alert_channels',
  {
    id: 'text primary key',
    // Null for the operator's.
    organization_id: 'text references organizations(id) on delete cascade',
    kind: 'text not null',
    name: 'text not null',
    is_on: 'integer not null',
    // A JSON object.
    target: 'text not null',
    // The secret of its receiver.
    sealed: 'text',
    // A JSON list; null for all.
    kinds: 'text',
    digest: 'text not null',
    // `22:00`, in `time_zone`; null where there are no quiet hours.
    quiet_from: 'text',
    quiet_until: 'text',
    time_zone: 'text not null',
    language: 'text not null',
    hourly_limit: 'integer not null',
    created_at: 'integer not null',
    updated_at: 'integer not null',
    // When it is next to send something; while that is done, the end of the claim.
    next_at: 'integer',
    attempts: 'integer not null',
    left_out: 'integer not null',
    last_sent_at: 'integer',
    last_error: 'text',
    last_error_at: 'integer',
    failing_since: 'integer',
    // A JSON list of the places that it is limited to; null for all.
    places: 'text',
  },
  [
    'create index alert_channels_by_organization on alert_channels (organization_id, created_at)',
    'create index alert_channels_due on alert_channels (next_at) where next_at is not null',
    'create index alert_channels_by_last_sent_at on alert_channels (last_sent_at) where last_sent_at is not null',
    'create index alert_channels_by_last_error_at on alert_channels (last_error_at) where last_error_at is not null',
  ],
);

/** An outage is open until `closed_at`; from `ended_at` on it is over, unless it begins again before `closes_at`. */
const alertOutages = defineTable(
  'alert_outages',
  {
    id: 'text primary key',
    organization_id: 'text references organizations(id) on delete cascade',
    kind: 'text not null',
    subject: 'text not null',
    name: 'text not null',
    since: 'integer not null',
    opened_at: 'integer not null',
    // When it is reported if it lasts until then.
    tell_at: 'integer not null',
    told_at: 'integer',
    ended_at: 'integer',
    // The end of the time in which it is the same outage if it begins again.
    closes_at: 'integer',
    closed_at: 'integer',
  },
  [
    `create unique index alert_outages_open on alert_outages (coalesce(organization_id, ''), kind, subject) where closed_at is null`,
    'create index alert_outages_by_organization on alert_outages (organization_id, since, id)',
    'create index alert_outages_closed on alert_outages (closed_at) where closed_at is not null',
    'create index alert_outages_by_told_at on alert_outages (told_at) where told_at is not null',
    'create index alert_outages_by_ended_at on alert_outages (ended_at) where ended_at is not null',
  ],
);

/**
 * A notice is what a channel owes its reader: that an outage began, or ended. Those of one message share its
 * `message_id`.
 */
const alertNotices = defineTable(
  'alert_notices',
  {
    id: 'text primary key',
    channel_id: 'text not null references alert_channels(id) on delete cascade',
    outage_id: 'text not null references alert_outages(id) on delete cascade',
    phase: 'text not null',
    created_at: 'integer not null',
    sent_at: 'integer',
    message_id: 'text',
  },
  [
    'create index alert_notices_waiting on alert_notices (channel_id, id) where sent_at is null',
    'create index alert_notices_sent on alert_notices (channel_id, sent_at) where sent_at is not null',
    'create index alert_notices_by_outage on alert_notices (outage_id)',
  ],
);

/** The tables of this subject. */
export const alertsTables = [alertChannels, alertOutages, alertNotices] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const alertMigrations: readonly Migration[] = [baseline('alerts', alertsTables)];
