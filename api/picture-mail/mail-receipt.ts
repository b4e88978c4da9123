/** Receipts by email: to invited senders alone, as an answer in their thread, and never many. */
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';
import { plain } from '../../runtime/plain-lines.ts';
import type { Letter } from '../alerts/mail.ts';
import { serviceText } from '../words/service-words.ts';
import type { Answerable } from './mail-store.ts';
import { type ReceiptFacts, receiptLines } from './receipt-words.ts';

const hourMs = 3_600_000;
const perHour = 5;
const rememberedSenders = 10_000;
const maxSubject = 200;

/** A receipt as `Mail.send` takes it. `id` names it, so that a second attempt is recognized. */
export function receiptLetter(id: string, answer: Answerable, facts: ReceiptFacts): Letter | undefined {
  const lines = receiptLines(facts);
  if (lines.length === 0) return undefined;
  const { to, messageId, references } = answer;
  const subject = plain(answer.subject).trim().slice(0, maxSubject);
  return {
    to: [to],
    subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim(),
    text: `${lines.join('\n')}\n\n${serviceText(facts.language, 'receipt.foot')}\n`,
    id,
    ...(messageId !== undefined && {
      answers: { messageId, references: [...references.filter((one) => one !== messageId), messageId] },
    }),
  };
}

/** Bounds receipts to five a sender and hour (ML-6). */
export function receiptRate(clock: Clock): { mayAnswer(sender: string): boolean } {
  const sent = new BoundedMap<string, readonly number[]>(rememberedSenders);
  return {
    mayAnswer(sender) {
      const now = clock.now();
      const recent = (sent.get(sender) ?? []).filter((at) => now - at < hourMs);
      const may = recent.length < perHour;
      sent.set(sender, may ? [...recent, now] : recent);
      return may;
    },
  };
}
