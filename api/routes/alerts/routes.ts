/** Routes of alerts: an organization's channels, a test of each, and its outages. For admins alone. */

import { z } from 'zod';
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { type Database, transact } from '../../../runtime/database/database.ts';
import { type Principal, requireMembership } from '../../access/principal.ts';
import {
  type ChannelDeps,
  type ChannelKind,
  type ChannelRow,
  channelStore,
  maxChannels,
} from '../../alerts/channels.ts';
import { answersOf, type SentOutcome } from '../../alerts/mail.ts';
import { type OutageRow, organizationKinds } from '../../alerts/outage-kinds.ts';
import { type AlertMessage, wordTest } from '../../alerts/word-message.ts';
import { directoryStore } from '../../directory/store.ts';
import type { RateLimit } from '../../http/limit-rate.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import { changedChannel, channelShown, chosenOf, newChannel, requireReceiver, showChannel } from './channel-fields.ts';

const base = '/organizations/:organizationId/alerts/';
const refuses = ['not-found', 'access-denied', 'conflict'] as const;

/** How many test messages an organization may send in a minute: mail goes to addresses that nobody has confirmed (T-94). */
export const testsPerMinute = 3;

export interface AlertRouteDeps extends ChannelDeps {
  readonly db: Database;
  /** Whether the operator set up mail. */
  readonly hasMail: boolean;
  /** Says why an organization can never send to an address; undefined where it may be able to. */
  readonly refusedReceiver: (organizationId: string, address: string) => Reason | undefined;
  readonly send: (channel: ChannelRow, message: AlertMessage) => Promise<SentOutcome>;
  readonly publicUrl: () => string;
  readonly limitTests: RateLimit;
}

const channelList = z.object({
  channels: z.array(channelShown).describe('the oldest first'),
  hasMail: z.boolean().describe('whether this service can send mail'),
});
const testAnswer = z.object({
  sent: z.boolean().describe('whether the receiver took it, for every recipient'),
  answer: z.string().describe('what the receiver said, or why the message was not sent'),
  answers: spelledReasons.optional(),
});
const outageShown = z
  .object({
    id: z.string(),
    kind: z.enum(organizationKinds),
    subject: z.string().describe('the id of the device, the paper or the rollout'),
    name: z.string(),
    since: z.string(),
    endedAt: z.string().nullable().describe('null while it lasts'),
  })
  .meta({ id: 'Outage' });
const outageList = z.array(outageShown);

type OutageShown = z.input<typeof outageShown>;

/** Returns the routes. */
export function alertRoutes(deps: AlertRouteDeps): AnyRoute[] {
  return [...listRoutes(deps), makeRoute(deps), ...changeRoutes(deps), testRoute(deps)];
}

const requireAdmin = (principal: Principal, organizationId: string): unknown =>
  requireMembership(principal, organizationId, 'manage');

async function waitingAt(db: Database, id: string): Promise<number> {
  const found = await db('alert_notices').where({ channel_id: id }).whereNull('sent_at').count({ count: '*' }).first();
  return Number(found?.count ?? 0);
}

async function requireChannel(db: Database, organizationId: string, channelId: string): Promise<ChannelRow> {
  const channel = await channelStore(db).find(organizationId, channelId);
  if (channel === undefined) throw refuse('not-found');
  return channel;
}

function listRoutes({ db, hasMail }: AlertRouteDeps): AnyRoute[] {
  return [
    route(`GET ${base}channels/`, {
      noStore: true,
      summary: 'The channels that notify an organization of outages; admins only',
      output: channelList,
      async handle({ params: { organizationId }, principal }) {
        requireAdmin(principal, organizationId);
        const rows = await channelStore(db).list(organizationId);
        const channels = await Promise.all(rows.map(async (row) => showChannel(row, await waitingAt(db, row.id))));
        return { channels, hasMail };
      },
    }),
    route(`GET ${base}outages/`, {
      noStore: true,
      summary: 'The outages of an organization of the last 90 days, those that last first; admins only',
      query: z.object({
        open: z.enum(['true', 'false']).describe('true for those that last, false for those that are over').optional(),
        limit: wholeNumber(1, 200).optional(),
      }),
      output: outageList,
      async handle({ params: { organizationId }, query: { open, limit = 50 }, principal }) {
        requireAdmin(principal, organizationId);
        const rows = db<OutageRow>('alert_outages')
          .where({ organization_id: organizationId })
          .whereNotNull('told_at')
          .orderByRaw('case when ended_at is null then 0 else 1 end, since desc, id desc')
          .limit(limit);
        if (open === 'true') rows.whereNull('ended_at');
        if (open === 'false') rows.whereNotNull('ended_at');
        return (await rows).map(showOutage);
      },
    }),
  ];
}

const showOutage = ({ id, kind, subject, name, since, ended_at: endedAt }: OutageRow): OutageShown => ({
  id,
  kind: kind as OutageShown['kind'],
  subject,
  name,
  since: isoTime(since),
  endedAt: isoTimeOrNull(endedAt),
});

/** Mail that nobody can send is refused before somebody relies on it. */
function requireMail(kind: ChannelKind, hasMail: boolean): void {
  if (kind === 'mail' && !hasMail) throw refuse('conflict', { message: reasonOf('mail-not-set-up') });
}

function makeRoute(deps: AlertRouteDeps): AnyRoute {
  const { db, random, hasMail } = deps;
  return route(`POST ${base}channels/`, {
    noStore: true,
    summary: 'Make a channel that notifies an organization of outages',
    audit: { action: 'alert-channel.made', on: 'channel', values: ['name', 'kind'] },
    status: 201,
    body: newChannel,
    output: channelShown,
    refuses,
    async handle({ params: { organizationId }, body, principal }) {
      requireAdmin(principal, organizationId);
      requireMail(body.kind, hasMail);
      const choice = chosenOf(body.kind, body);
      requireReceiver(choice, body.url, (url) => deps.refusedReceiver(organizationId, url));
      return transact(db, async (trx) => {
        await directoryStore(trx).lockOrganization(organizationId);
        const store = channelStore(trx);
        if ((await store.list(organizationId)).length >= maxChannels) {
          throw refuse('conflict', { message: reasonOf('channels-many', { most: maxChannels }) });
        }
        const place = { id: random.id(), organizationId };
        return showChannel(await store.insert(deps, place, choice, body.secret ?? undefined), 0);
      });
    },
  });
}

function changeRoutes(deps: AlertRouteDeps): AnyRoute[] {
  const { db } = deps;
  return [
    route(`PATCH ${base}channels/:channelId`, {
      noStore: true,
      summary: 'Change a channel; what is left out stays, also its secret',
      audit: { action: 'alert-channel.changed', on: 'channel', values: ['name', 'isOn'] },
      body: changedChannel,
      output: channelShown,
      refuses,
      async handle({ params: { organizationId, channelId }, body, principal }) {
        requireAdmin(principal, organizationId);
        return transact(db, async (trx) => {
          await directoryStore(trx).lockOrganization(organizationId);
          const before = await requireChannel(trx, organizationId, channelId);
          const choice = chosenOf(before.kind, body, before);
          requireReceiver(choice, body.url, (url) => deps.refusedReceiver(organizationId, url));
          await channelStore(trx).change(deps, before, choice, body.secret);
          const after = await requireChannel(trx, organizationId, channelId);
          return showChannel(after, await waitingAt(trx, channelId));
        });
      },
    }),
    route(`DELETE ${base}channels/:channelId`, {
      noStore: true,
      summary: 'Remove a channel with what it has not told yet',
      audit: { action: 'alert-channel.removed', on: 'channel' },
      async handle({ params: { organizationId, channelId }, principal }) {
        requireAdmin(principal, organizationId);
        if ((await channelStore(db).remove(organizationId, channelId)) === 0) throw refuse('not-found');
      },
    }),
  ];
}

function testRoute({ db, clock, random, send, publicUrl, limitTests }: AlertRouteDeps): AnyRoute {
  return route(`POST ${base}channels/:channelId/test`, {
    noStore: true,
    summary: 'Send a test message by a channel at once, and tell what its receiver said',
    audit: { action: 'alert-channel.tested', on: 'channel' },
    output: testAnswer,
    refuses: ['not-found', 'access-denied', 'rate-limited'],
    async handle({ params: { organizationId, channelId }, principal }) {
      requireAdmin(principal, organizationId);
      const channel = await requireChannel(db, organizationId, channelId);
      await limitTests.count(organizationId);
      const wording = { language: channel.language, timeZone: channel.time_zone, publicUrl: publicUrl() };
      const outcome = await send(channel, wordTest(random.id(), wording));
      if (outcome.ok) await channelStore(db).arrived(channel, outcome.refused, clock.now());
      const answers = answersOf(outcome);
      const sent = outcome.ok && outcome.refused === undefined;
      return { sent, answer: wordsOf(answers), ...spelledAs('answers', answers) };
    },
  });
}
