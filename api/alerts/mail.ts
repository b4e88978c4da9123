/** Sends mail by the operator's server, which is trusted, and is waited for as long as it says something. */
import { createTransport } from 'nodemailer';
import type { Clock } from '../../runtime/clock.ts';
import { type Sentence, said } from '../../runtime/said-sentence.ts';

/** How sending something ended: what the receiver answered, or why it does not count as sent. */
export type SentOutcome =
  | { readonly ok: true; readonly answer: Sentence }
  | { readonly ok: false; readonly problem: string };

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
  send(letter: Letter): Promise<SentOutcome>;
}

/** How long the server may take to be reached, to greet, and to say its next word; and for all of it. */
const greetingMs = 10_000;
const silenceMs = 30_000;
const wholeMs = 60_000;
const longestAnswer = 200;

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
    async send({ to, subject, text, id }) {
      let timer: ReturnType<Clock['after']> | undefined;
      const late = new Promise<SentOutcome>((resolve) => {
        const problem = said('mail-server-late', { seconds: wholeMs / 1000 });
        timer = clock.after(wholeMs, () => resolve({ ok: false, problem }));
      });
      const headers = { 'auto-submitted': 'auto-generated', 'x-papergate-message': id };
      const sending = transport.sendMail({ to: [...to], subject, text, headers }).then(
        ({ response }): SentOutcome => ({ ok: true, answer: said('mail-taken', { answer: cut(response) }) }),
        (error: unknown): SentOutcome => ({ ok: false, problem: problemOf(error) }),
      );
      try {
        return await Promise.race([sending, late]);
      } finally {
        timer?.cancel();
      }
    },
  };
}

const cut = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, longestAnswer);

/** Words a failure. What the server itself said is told; of other failures the code alone. */
function problemOf(error: unknown): Sentence {
  const { response, code } = error as { readonly response?: unknown; readonly code?: unknown };
  if (typeof response === 'string' && response !== '') return said('mail-not-taken', { answer: cut(response) });
  if (code === 'ETIMEDOUT') return said('mail-server-late', { seconds: silenceMs / 1000 });
  return said('mail-server-away', { error: typeof code === 'string' ? code : 'unknown' });
}
