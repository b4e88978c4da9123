/** Sends mail by the operator's server, which is trusted, and is waited for as long as it says something. */
import { createTransport } from 'nodemailer';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';

/** How sending something ended: what the receiver answered, or why it does not count as sent. */
export type SentOutcome =
  | { readonly ok: true; readonly answer: Reason }
  | { readonly ok: false; readonly problem: Reason };

/** A letter. */
interface Letter {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Differs from message to message. */
  readonly id: string;
}

/** The way by which mail goes. Never throws: every failure is an outcome. */
export interface Mail {
  /** @param stopping ends the connection, when the service stops */
  send(letter: Letter, stopping?: AbortSignal): Promise<SentOutcome>;
}

/** How long the server may take to be reached, to greet, and to say its next word; and for all of it. */
const greetingMs = 10_000;
const silenceMs = 30_000;
const wholeMs = 60_000;
const maxAnswerLength = 200;

/**
 * Opens the way. A connection is made for each letter.
 * @param url `smtp://` or `smtps://`, which may hold user and password; it reaches no log and no answer
 */
export function openMail({
  url,
  from,
  clock,
}: {
  readonly url: string;
  readonly from: string;
  readonly clock: Clock;
}): Mail {
  const transport = createTransport(
    {
      url,
      connectionTimeout: greetingMs,
      greetingTimeout: greetingMs,
      dnsTimeout: greetingMs,
      socketTimeout: silenceMs,
    },
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
  return {
    async send({ to, subject, text, id }, stopping) {
      const limit = new AbortController();
      const timer = clock.after(wholeMs, () => limit.abort());
      const signal = AbortSignal.any([limit.signal, ...(stopping === undefined ? [] : [stopping])]);
      const headers = { 'auto-submitted': 'auto-generated', 'x-papergate-message': id };
      try {
        const { response } = await transport.sendMail({ to: [...to], subject, text, headers, signal });
        return { ok: true, answer: reasonOf('mail-taken', { answer: cut(response) }) };
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

/** Words a failure. What the server itself said is told; of other failures the code alone. */
function problemOf(error: unknown): Reason {
  const { response, code } = error as { readonly response?: unknown; readonly code?: unknown };
  if (typeof response === 'string' && response !== '') return reasonOf('mail-not-taken', { answer: cut(response) });
  return reasonOf('mail-server-away', { error: typeof code === 'string' ? code : 'unknown' });
}
