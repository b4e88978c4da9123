/** Sends mail through the operator's server, which is trusted, and waits as long as the server keeps responding. */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { createTransport } from 'nodemailer';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { isCertificateError } from '../outgoing/network-error.ts';

/**
 * How sending something ended: what the receiver answered, or why it does not count as sent. `refused` names the
 * recipients who do not get an email that the server accepted for others.
 */
export type SentOutcome =
  | { readonly ok: true; readonly answer: Reason; readonly refused?: Reason }
  | { readonly ok: false; readonly problem: Reason };

/** Returns the reasons that describe an outcome. */
export const answersOf = (outcome: SentOutcome): readonly Reason[] =>
  outcome.ok ? [outcome.answer, ...(outcome.refused ? [outcome.refused] : [])] : [outcome.problem];

/** An email, as plain text. */
export interface Letter {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Differs from message to message. */
  readonly id: string;
  /** The message that this one answers: its id, and those of its thread. */
  readonly answers?: { readonly messageId: string; readonly references: readonly string[] };
}

/** The way by which mail goes. Never throws: every failure is an outcome. */
export interface Mail {
  /** @param stopping ends the connection, when the service stops */
  send(letter: Letter, stopping?: AbortSignal): Promise<SentOutcome>;
}

/**
 * How long the server may take to connect and greet, how long it may then stay silent, and how long all of it may take.
 */
const greetingMs = 10_000;
const silenceMs = 30_000;
const wholeMs = 60_000;
const maxAnswerLength = 200;

/**
 * Opens the way. A connection is made for each letter.
 * @param url `smtp://` or `smtps://`, which may hold user and password; it reaches no log and no answer. `?name=` in it
 * is the name with which the server is greeted
 * @param ownAddress the address of this service, whose host greets the server where the machine has no full name
 */
export function openMail({
  url,
  from,
  clock,
  ownAddress,
  machine = hostname(),
}: {
  readonly url: string;
  readonly from: string;
  readonly clock: Clock;
  readonly ownAddress?: string | undefined;
  /** The name of this machine. */
  readonly machine?: string;
}): Mail {
  const name = greetingName(machine, ownAddress);
  const transport = createTransport(
    {
      url,
      ...(name !== undefined && { name }),
      connectionTimeout: greetingMs,
      greetingTimeout: greetingMs,
      dnsTimeout: greetingMs,
      socketTimeout: silenceMs,
    },
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    async send({ to, subject, text, id, answers }, stopping) {
      const limit = new AbortController();
      const timer = clock.after(wholeMs, () => limit.abort());
      const signal = AbortSignal.any([limit.signal, ...(stopping === undefined ? [] : [stopping])]);
      const headers = { 'auto-submitted': answers ? 'auto-replied' : 'auto-generated', 'x-papergate-message': id };
      const thread = answers && { inReplyTo: answers.messageId, references: [...answers.references] };
      const letter = { to: [...to], subject, text, headers, ...thread };
      try {
        const { response, rejectedErrors } = await transport.sendMail({ ...letter, signal });
        const refused = refusedOf(rejectedErrors ?? []);
        return { ok: true, answer: reasonOf('mail-taken', { answer: cut(response) }), ...(refused && { refused }) };
      } catch (error) {
        const late = reasonOf('mail-server-late', { seconds: wholeMs / 1000 });
        return { ok: false, problem: limit.signal.aborted ? late : problemOf(error) };
      } finally {
        timer.cancel();
      }
    },
  };
}

const cut = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, maxAnswerLength);

/**
 * Returns the full name with which a mail server is greeted. Undefined where there is none: nodemailer then gives a
 * loopback address, which some servers refuse.
 */
function greetingName(machine: string, ownAddress: string | undefined): string | undefined {
  if (machine.includes('.')) return machine;
  if (ownAddress === undefined) return undefined;
  const { hostname: host } = new URL(ownAddress);
  return host.includes('.') && isIP(host) === 0 ? host : undefined;
}

/** An error of nodemailer: the server's reply, and the code of Node or OpenSSL below nodemailer's own. */
interface MailError {
  readonly response?: unknown;
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly recipient?: unknown;
}

/** Words which recipients were refused, each with the server's reply. */
function refusedOf(errors: readonly MailError[]): Reason | undefined {
  if (errors.length === 0) return undefined;
  const each = errors.map(({ recipient, response }) => `${recipient} (${cut(String(response ?? ''))})`);
  return reasonOf('mail-refused-some', { refused: each.join(', ') });
}

/** The wording of servers that refuse a client's name, no matter in answer to which command. */
const aboutGreeting = /\b(?:helo|ehlo)\b|fully[- ]qualified/i;

/** Words a failure: in the server's own words, otherwise by its code alone. */
function problemOf(error: unknown): Reason {
  const { response, code, originalCode, command } = error as MailError;
  if (typeof response === 'string' && response !== '') {
    const answer = cut(response);
    const isGreeting = /^(?:EHLO|HELO)$/.test(String(command)) || aboutGreeting.test(answer);
    return reasonOf(isGreeting && answer.startsWith('5') ? 'mail-greeting-refused' : 'mail-not-taken', { answer });
  }
  const known = [originalCode, code].find((one): one is string => typeof one === 'string') ?? 'unknown';
  if (isCertificateError(known)) return reasonOf('mail-certificate', { error: known });
  if (/SSL_WRONG_VERSION_NUMBER|SSL_PACKET_LENGTH_TOO_LONG/.test(known)) return reasonOf('mail-no-tls');
  return reasonOf('mail-server-away', { error: known });
}
