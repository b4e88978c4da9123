/** Sends one message by one channel: an email, a signed webhook, or a notification of ntfy. */
import { createHmac } from 'node:crypto';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { isoTime, isoTimeOrNull } from '../../runtime/clock.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import type { HomeNetworks } from '../outgoing/home-networks.ts';
import { loopbackAddresses } from '../outgoing/public-address.ts';
import { type AddressRule, anyHost, destinationOf, refusedUnasked } from '../outgoing/reach-host.ts';
import { type OutgoingRequest, requestOnce } from '../outgoing/request-once.ts';
import type { WayOut } from '../outgoing/way-out.ts';
import { type ChannelKind, type ChannelRow, secretOf, targetOf } from './channels.ts';
import type { Mail, SentOutcome } from './mail.ts';
import type { AlertMessage } from './word-message.ts';

export interface SendDeps {
  readonly clock: Clock;
  readonly sealKey: Uint8Array;
  /** The way to addresses that members of organizations chose. */
  readonly wayOut: WayOut;
  /** The way to addresses that the operator chose. */
  readonly operatorsWay: WayOut;
  /** The home network, where receivers may be, too. */
  readonly home: HomeNetworks;
  /** Whether an explicit loopback host may be called (A-30). */
  readonly allowLoopback: boolean;
  /** Undefined where the operator set up no mail. */
  readonly mail: Mail | undefined;
}

/** Sends a message. Never throws: every failure out there is an outcome, in words without a secret. */
export async function sendMessage(
  deps: SendDeps,
  channel: ChannelRow,
  message: AlertMessage,
  stopping?: AbortSignal,
): Promise<SentOutcome> {
  // A node of the next release may have made a channel that this one cannot send by.
  if (!Object.hasOwn(senders, channel.kind)) {
    return { ok: false, problem: reasonOf('channel-kind-unknown', { kind: channel.kind }) };
  }
  return senders[channel.kind](deps, channel, message, stopping);
}

type Sender = typeof sendMessage;

/** Posts what a kind makes of a message. */
const posting =
  (postedOf: (deps: SendDeps, channel: ChannelRow, message: AlertMessage) => Posted): Sender =>
  async (deps, channel, message, stopping) => {
    let posted: Posted;
    try {
      posted = postedOf(deps, channel, message);
    } catch {
      // It was sealed by another key than that of this service.
      return { ok: false, problem: reasonOf('channel-secret-lost') };
    }
    return post(deps, channel, posted, stopping);
  };

/** How each kind of channel sends. */
const senders: Readonly<Record<ChannelKind, Sender>> = {
  mail: sendMail,
  webhook: posting(webhookOf),
  ntfy: posting(notificationOf),
};

async function sendMail(
  { mail }: SendDeps,
  channel: ChannelRow,
  message: AlertMessage,
  stopping?: AbortSignal,
): Promise<SentOutcome> {
  if (mail === undefined) return { ok: false, problem: reasonOf('mail-not-set-up') };
  const { title: subject, text, link, id } = message;
  const letter = { to: targetOf(channel).recipients ?? [], subject, text: `${text}\n\n${link}\n`, id };
  return mail.send(letter, stopping);
}

/** A request as it is posted. */
interface Posted {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Words a message for programs. With a secret, `x-papergate-signature` is the HMAC of time and body (docs/alerts.md). */
function webhookOf({ sealKey, clock }: SendDeps, channel: ChannelRow, message: AlertMessage): Posted {
  const { id, title, text, link, outages, deadlines } = message;
  const body = JSON.stringify({
    id,
    organizationId: channel.organization_id,
    title,
    text,
    link,
    ...inOthersWords(message),
    outages: outages.map(({ id: outageId, kind, subject, name, since, endedAt }) => ({
      id: outageId,
      kind,
      subject,
      name,
      since: isoTime(since),
      endedAt: isoTimeOrNull(endedAt),
    })),
    ...(deadlines !== undefined && { deadlines }),
  });
  const secret = secretOf(channel, sealKey);
  const timestamp = String(Math.floor(clock.now() / 1000));
  const signature = secret === undefined ? {} : { 'x-papergate-signature': signWebhook(secret, timestamp, body) };
  return { url: targetOf(channel).url ?? '', body, headers: { 'x-papergate-timestamp': timestamp, ...signature } };
}

/** The most characters of a message of Discord. */
const maxContent = 2_000;

/**
 * The same under the names that common receivers read, besides `title` and `text`: Discord wants `content`, in which nothing
 * mentions anyone, and Gotify `message` with a priority from 0 to 10. Slack and Mattermost read `text`.
 */
function inOthersWords({ title, text, link, isUrgent }: AlertMessage) {
  const whole = [...`${title}\n${text}`].slice(0, maxContent - link.length - 1).join('');
  return {
    content: `${whole}\n${link}`,
    allowed_mentions: { parse: [] },
    message: `${text}\n\n${link}`,
    priority: isUrgent ? 8 : 5,
  };
}

/** Signs a webhook: HMAC-SHA256 over the timestamp, a dot and the body, as hex behind `sha256=`. */
export const signWebhook = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

/** The priorities of ntfy: 4 is high, 3 is the usual one. */
function notificationOf({ sealKey }: SendDeps, channel: ChannelRow, message: AlertMessage): Posted {
  const { title, text, link, isUrgent, isOver } = message;
  const { url = '', topic } = targetOf(channel);
  const tags = [isOver ? 'white_check_mark' : isUrgent ? 'rotating_light' : 'information_source'];
  const body = JSON.stringify({ topic, title, message: text, priority: isUrgent ? 4 : 3, tags, click: link });
  const token = secretOf(channel, sealKey);
  return { url, body, headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) } };
}

/** Posts JSON. Only a status of success counts, and the body of the answer is never read (T-94). */
async function post(
  deps: SendDeps,
  channel: ChannelRow,
  { url, body, headers }: Posted,
  stopping: AbortSignal | undefined,
): Promise<SentOutcome> {
  const organizationId = channel.organization_id;
  const sharer: Sharer = organizationId === null ? ['operator'] : [organizationId, channel.id];
  const request: OutgoingRequest = {
    sharer,
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    allowLoopback: deps.allowLoopback,
    allowPlain: true,
    rule: organizationId === null ? anyHost : ruleOf(deps.home, organizationId, url),
    readLimitBytes: 0,
    ...(stopping !== undefined && { signal: stopping }),
  };
  const outcome = await requestOnce(organizationId === null ? deps.operatorsWay : deps.wayOut, request);
  if (outcome.kind === 'problem') return { ok: false, problem: outcome.problem };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { ok: true, answer: reasonOf('receiver-took-it', { status }) };
  return { ok: false, problem: reasonOf('receiver-not-taken', { status }) };
}

/** Returns the rule of an address: what goes unencrypted, perhaps with a token, stays in the house. */
const ruleOf = (home: HomeNetworks, organizationId: string, url: string): AddressRule =>
  home.watch(organizationId, url.startsWith('http:') ? 'home' : 'all').rule;

/** Says why an organization's channel can never use an address, as far as that is known without a look-up. */
export function refusedReceiver(
  { home, allowLoopback }: Pick<SendDeps, 'home' | 'allowLoopback'>,
  organizationId: string,
  address: string,
): Reason | undefined {
  const url = new URL(address);
  if (allowLoopback && loopbackAddresses(url.hostname) !== undefined) return undefined;
  return refusedUnasked(destinationOf(url), ruleOf(home, organizationId, url.href));
}
