/** Alert channels, which notify people. Their secrets are sealed, and are shown to nobody. */
import { z } from 'zod';
import { type Reason, storedReasons } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import { open, seal } from '../../runtime/sealed.ts';
import type { WordedLanguage } from '../words/service-words.ts';
import type { ChannelPlace } from './channel-places.ts';
import type { OutageKind } from './outage-kinds.ts';
import { alertsTables } from './tables.ts';

export const channelKinds = ['mail', 'webhook', 'ntfy'] as const;
export type ChannelKind = (typeof channelKinds)[number];
/** When a channel sends: each outage at once, or what has gathered at the next full hour, or at eight in the morning. */
export const digests = ['immediately', 'hourly', 'daily'] as const;
export type Digest = (typeof digests)[number];

/** The most channels of one organization. */
export const maxChannels = 20;
export const maxRecipients = 10;
/** The most messages per hour that the owner of a channel may allow. */
export const maxHourly = 60;

const httpAddress = z.url({ protocol: /^https?$/ }).max(2_000);

/** The secret of a webhook or the token of ntfy. */
export const channelSecret = /^[\x21-\x7e]{8,200}$/;

/** Where a channel leads, by its kind. */
export const channelTarget = z.object({
  recipients: z.array(z.email().max(254)).min(1).max(maxRecipients).describe('of mail').optional(),
  url: httpAddress.describe('of a webhook; of ntfy, the address of the server').optional(),
  topic: z
    .string()
    .regex(/^[-_A-Za-z0-9]{1,64}$/, 'letters, digits, - and _, 64 at most')
    .describe('of ntfy')
    .optional(),
});
export type ChannelTarget = z.output<typeof channelTarget>;

/** A row of `alert_channels`. */
export type ChannelRow = RowIn<
  typeof alertsTables,
  'alert_channels',
  { kind: ChannelKind; digest: Digest; language: WordedLanguage }
>;

export type ChannelChoice = Pick<
  ChannelRow,
  'kind' | 'name' | 'is_on' | 'digest' | 'quiet_from' | 'quiet_until' | 'time_zone' | 'language' | 'hourly_limit'
> & {
  readonly target: ChannelTarget;
  /** Null for all. */
  readonly kinds: readonly OutageKind[] | null;
  /** Null for all. */
  readonly places: readonly ChannelPlace[] | null;
};

/** The defaults of a channel. */
export const defaultChoice: Omit<ChannelChoice, 'kind' | 'name' | 'target'> = {
  is_on: 1,
  kinds: null,
  places: null,
  digest: 'immediately',
  quiet_from: null,
  quiet_until: null,
  time_zone: 'UTC',
  language: 'en',
  hourly_limit: 12,
};

export interface ChannelDeps extends Pick<CommonDeps, 'clock' | 'random'> {
  readonly sealKey: Uint8Array;
}

/** How long a channel is claimed for one message: twice as long as sending may take. */
export const claimMs = 120_000;

const placeOf = (id: string): string => JSON.stringify(['alert_channels', id]);

/** Reads where a channel leads. */
export const targetOf = ({ target }: Pick<ChannelRow, 'target'>): ChannelTarget =>
  channelTarget.parse(JSON.parse(target));

/** Reads which kinds of outages a channel reports; null for all. */
export const kindsOf = ({ kinds }: Pick<ChannelRow, 'kinds'>): readonly OutageKind[] | null =>
  kinds === null ? null : JSON.parse(kinds);

/** Opens the secret of a channel's receiver; undefined where it has none. */
export const secretOf = ({ id, sealed }: ChannelRow, sealKey: Uint8Array): string | undefined =>
  sealed === null ? undefined : open(sealed, placeOf(id), sealKey);

/** Returns whether a channel has this secret; one that was sealed by another key has none that counts. */
export function hasSecret(row: ChannelRow, secret: string | undefined, sealKey: Uint8Array): boolean {
  try {
    return secretOf(row, sealKey) === secret;
  } catch {
    return false;
  }
}

/** The state of a channel whose last message reached everyone. */
export const notFailing = { last_error: null, last_error_at: null, failing_since: null } as const;

/** The state of a channel whose last message reached only some recipients: it fails, and nothing is sent again. */
export const inPart = (refused: Reason, failingSince: number | null, now: number) => ({
  last_error: storedReasons(refused),
  last_error_at: now,
  failing_since: failingSince ?? now,
});

const columnsOf = ({ target, kinds, places, ...plain }: ChannelChoice) => ({
  ...plain,
  target: JSON.stringify(target),
  kinds: kinds === null ? null : JSON.stringify(kinds),
  places: places === null ? null : JSON.stringify(places),
});

/** Makes the row of a new channel, which has sent nothing yet. */
export function newChannelRow(
  { clock, random, sealKey }: ChannelDeps,
  { id, organizationId }: { readonly id: string; readonly organizationId: string | null },
  choice: ChannelChoice,
  secret: string | undefined,
): ChannelRow {
  const now = clock.now();
  return newRow(alertsTables, 'alert_channels', {
    id,
    organization_id: organizationId,
    ...columnsOf(choice),
    sealed: secret === undefined ? null : seal(secret, placeOf(id), sealKey, random),
    created_at: now,
    updated_at: now,
    attempts: 0,
    left_out: 0,
  });
}

/** The queries of channels. */
export function channelStore(db: Database) {
  const of = (organizationId: string) => db<ChannelRow>('alert_channels').where({ organization_id: organizationId });
  return {
    list: (organizationId: string): Promise<ChannelRow[]> => of(organizationId).orderBy('created_at').orderBy('id'),

    find: (organizationId: string, id: string): Promise<ChannelRow | undefined> =>
      of(organizationId).where({ id }).first(),

    async insert(...given: Parameters<typeof newChannelRow>): Promise<ChannelRow> {
      const row = newChannelRow(...given);
      await db('alert_channels').insert(row);
      return row;
    },

    /**
     * Changes a channel. Its last failure is forgotten, and it is tried again at once; one that is turned off no longer
     * owes anything, and one with another address or secret counts as never having delivered.
     * @param secret null takes it away, undefined leaves it
     */
    async change(
      { clock, random, sealKey }: ChannelDeps,
      { id, next_at, failing_since, target }: Pick<ChannelRow, 'id' | 'next_at' | 'failing_since' | 'target'>,
      choice: ChannelChoice,
      secret: string | null | undefined,
    ): Promise<void> {
      const now = clock.now();
      // A time that is near may be the claim of a message that is just being sent.
      const waits = next_at !== null && (failing_since !== null || next_at > now + claimMs);
      const columns = columnsOf(choice);
      const isElsewhere = columns.target !== target || secret !== undefined;
      await db('alert_channels')
        .where({ id })
        .update({
          ...columns,
          ...(isElsewhere && { last_sent_at: null }),
          ...(secret !== undefined && {
            sealed: secret === null ? null : seal(secret, placeOf(id), sealKey, random),
          }),
          updated_at: now,
          ...(waits && { next_at: now }),
          attempts: 0,
          ...notFailing,
        });
      if (choice.is_on === 0) await db('alert_notices').where({ channel_id: id }).whereNull('sent_at').delete();
    },

    /**
     * Notes that a test arrived, unless the channel was changed meanwhile. One that fails tries again at once.
     * @param refused the recipients who got nothing, where others got it
     */
    async arrived(
      { id, next_at, updated_at, failing_since }: Pick<ChannelRow, 'id' | 'next_at' | 'updated_at' | 'failing_since'>,
      refused: Reason | undefined,
      now: number,
    ) {
      const tested = () => db('alert_channels').where({ id, updated_at });
      await tested().update({ last_sent_at: now });
      if (refused !== undefined) await tested().update(inPart(refused, failing_since, now));
      else if (next_at === null) await tested().whereNull('next_at').update(notFailing);
      else await tested().where({ next_at }).whereNotNull('failing_since').update({ next_at: now });
    },

    remove: (organizationId: string, id: string): Promise<number> => of(organizationId).where({ id }).delete(),
  };
}
