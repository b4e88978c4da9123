/** A channel as people write it, and as it is shown to them: never with its secret. */

import { z } from 'zod';
import { type Reason, readReasons, reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { camelOf } from '../../../runtime/database/camel-case.ts';
import { channelPlace, maxPlaces, placesOf } from '../../alerts/channel-places.ts';
import {
  type ChannelChoice,
  type ChannelKind,
  type ChannelRow,
  type ChannelTarget,
  channelKinds,
  channelSecret,
  channelTarget,
  defaultChoice,
  digests,
  kindsOf,
  maxHourly,
  targetOf,
} from '../../alerts/channels.ts';
import { organizationKinds } from '../../alerts/outage-kinds.ts';
import { isTimezone } from '../../http/field-shapes.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import { readPlainUrl } from '../../outgoing/plain-url.ts';
import { wordedLanguages } from '../../words/service-words.ts';

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:00');
const quietHours = z
  .object({ from: timeOfDay, until: timeOfDay })
  .refine(
    ({ from, until }) => from !== until,
    'begin and end at the same time: leave them out, or turn the channel off',
  );
const wantedKinds = z.array(z.enum(organizationKinds)).min(1).max(organizationKinds.length);

const shared = {
  name: z.string().trim().min(1).max(100),
  isOn: z.boolean(),
  recipients: channelTarget.shape.recipients,
  url: channelTarget.shape.url,
  topic: channelTarget.shape.topic,
  kinds: wantedKinds.nullable().describe('null for all, also those of later releases'),
  places: z
    .array(channelPlace)
    .min(1)
    .max(maxPlaces)
    .nullable()
    .describe('the places whose frames, and content on them, are reported; null for all. Rollouts are in no place'),
  digest: z.enum(digests),
  quietHours: quietHours.nullable().describe('messages wait until they end; they may last over midnight'),
  timeZone: z
    .string()
    .refine(isTimezone, 'is not a time zone')
    .describe('of the quiet hours, and of times in messages'),
  language: z.enum(wordedLanguages),
  hourlyLimit: z.int().min(1).max(maxHourly).describe('more messages than these wait, and are sent as one'),
};

/** The secret of a webhook or the token of ntfy. */
const secret = z
  .string()
  .regex(channelSecret, 'printable ASCII without spaces, 8 to 200 characters')
  .nullable()
  .describe('the secret of a webhook, by which it is signed, or the token of ntfy; it is never shown again');

/** The fields of a new channel. */
export const newChannel = z.object({
  kind: z.enum(channelKinds),
  ...z.object(shared).partial().shape,
  name: shared.name,
  secret: secret.optional(),
});

/** The fields that may be changed; the kind stays. */
export const changedChannel = z.object({ ...z.object(shared).partial().shape, secret: secret.optional() });

type ChannelFields = z.output<typeof changedChannel>;

export const channelShown = z
  .object({
    id: z.string(),
    kind: z.enum(channelKinds),
    ...shared,
    hasSecret: z.boolean(),
    createdAt: z.string(),
    updatedAt: z.string(),
    state: z
      .enum(['untried', 'working', 'failing', 'off'])
      .describe('untried until something arrived at the receiver, a test or a message'),
    waiting: z.number().describe('how much it has to tell that is not sent yet'),
    nextAt: z.string().nullable().describe('when that is sent, or tried again'),
    lastSentAt: z.string().nullable(),
    failingSince: z.string().nullable(),
    lastError: z.string().nullable().describe('what the receiver said last, while it fails'),
    lastErrors: spelledReasons.optional(),
  })
  .meta({ id: 'AlertChannel' });

type ChannelShown = z.input<typeof channelShown>;

function stateOf({ is_on: isOn, failing_since: failingSince, last_sent_at: lastSentAt }: ChannelRow) {
  if (isOn === 0) return 'off';
  if (failingSince !== null) return 'failing';
  return lastSentAt === null ? 'untried' : 'working';
}

/** Shows a channel. */
export function showChannel(row: ChannelRow, waiting: number): ChannelShown {
  const { quiet_from: from, quiet_until: until } = row;
  const lastErrors = readReasons(row.last_error);
  return {
    ...camelOf(row, 'id', 'kind', 'name'),
    isOn: row.is_on === 1,
    ...targetOf(row),
    kinds: kindsOf(row) as ChannelShown['kinds'],
    places: placesOf(row) as ChannelShown['places'],
    digest: row.digest,
    quietHours: from === null || until === null ? null : { from, until },
    ...camelOf(row, 'time_zone', 'language', 'hourly_limit'),
    hasSecret: row.sealed !== null,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    state: stateOf(row),
    waiting,
    nextAt: isoTimeOrNull(row.next_at),
    lastSentAt: isoTimeOrNull(row.last_sent_at),
    failingSince: isoTimeOrNull(row.failing_since),
    lastError: row.last_error === null ? null : wordsOf(lastErrors),
    ...spelledAs('lastErrors', lastErrors),
  };
}

/** The fields that each kind needs. */
const needed: Readonly<Record<ChannelKind, readonly (keyof ChannelTarget)[]>> = {
  mail: ['recipients'],
  webhook: ['url'],
  ntfy: ['url', 'topic'],
};

/** Keeps the fields of a kind's target; others are not of it. */
function targetFrom(kind: ChannelKind, given: ChannelTarget): ChannelTarget {
  const target: Record<string, unknown> = {};
  for (const field of needed[kind]) {
    const value = given[field];
    if (value === undefined) throw refuse('invalid-request', { hint: reasonOf('channel-lacks', { kind, field }) });
    target[field] = value;
  }
  if (given.url !== undefined && needed[kind].includes('url')) {
    const url = readPlainUrl(given.url);
    if (!(url instanceof URL)) throw refuse('invalid-request', { hint: reasonOf('field-url', { because: url }) });
  }
  return target;
}

/**
 * Returns the chosen fields: those in the body, else those of the channel, else the defaults.
 * @throws Refusal `invalid-request` for a channel that would lack what its kind needs
 */
export function chosenOf(kind: ChannelKind, given: ChannelFields, before?: ChannelRow): ChannelChoice {
  const had = before === undefined ? defaultChoice : { ...before, kinds: kindsOf(before), places: placesOf(before) };
  const quiet = given.quietHours;
  const target = { ...(before && targetOf(before)), ...pickTarget(given) };
  return {
    kind,
    name: given.name ?? before?.name ?? '',
    target: targetFrom(kind, target),
    is_on: given.isOn === undefined ? had.is_on : Number(given.isOn),
    kinds: given.kinds === undefined ? had.kinds : given.kinds,
    places: given.places === undefined ? had.places : given.places,
    digest: given.digest ?? had.digest,
    quiet_from: quiet === undefined ? had.quiet_from : (quiet?.from ?? null),
    quiet_until: quiet === undefined ? had.quiet_until : (quiet?.until ?? null),
    time_zone: given.timeZone ?? had.time_zone,
    language: given.language ?? had.language,
    hourly_limit: given.hourlyLimit ?? had.hourly_limit,
  };
}

const pickTarget = ({ recipients, url, topic }: ChannelTarget): ChannelTarget => ({
  ...(recipients !== undefined && { recipients }),
  ...(url !== undefined && { url }),
  ...(topic !== undefined && { topic }),
});

/**
 * Refuses an address that the service would never call, before somebody relies on it. Only one that is given is judged:
 * the rest of a channel can always be changed.
 * @param refused returns why an address is never called
 * @throws Refusal `invalid-request`
 */
export function requireReceiver(
  { target }: Pick<ChannelChoice, 'target'>,
  given: string | undefined,
  refused: (address: string) => Reason | undefined,
): void {
  const because = given === undefined || target.url === undefined ? undefined : refused(target.url);
  if (because !== undefined) throw refuse('invalid-request', { hint: reasonOf('field-url', { because }) });
}
