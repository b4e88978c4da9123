/** The words of a receipt: that pictures hang, and what was left out, in the language of the organization. */
import type { Reason } from '../../reasons/reason.ts';
import { serviceText, type WordedLanguage, writtenTime } from '../words/service-words.ts';

/** The event that a receipt reports. `place` is the name of the frame or the album. */
export interface ReceiptFacts {
  readonly language: WordedLanguage;
  readonly timeZone: string;
  readonly place: string;
  readonly count: number;
  /** Since when they hang, epoch milliseconds; undefined while they are only accepted. */
  readonly hungAt: number | undefined;
  readonly now: number;
  readonly leftOut: readonly { readonly name: string; readonly reason: Reason }[];
}

const maxNamed = 5;

/** Returns the sentences of a receipt, one a line. */
export function receiptLines(facts: ReceiptFacts): readonly string[] {
  const { language, place, count, hungAt, leftOut } = facts;
  const lines: string[] = [];
  if (count > 0 && hungAt !== undefined) {
    lines.push(serviceText(language, 'receipt.hung', { count, place, time: timeOf(facts, hungAt) }));
  } else if (count > 0) lines.push(serviceText(language, 'receipt.accepted', { count, place }));
  for (const { name, reason } of leftOut.slice(0, maxNamed)) {
    const why = serviceText(language, whyOf(reason));
    lines.push(serviceText(language, 'receipt.left-out', { name: name === '' ? '…' : name, why }));
  }
  if (leftOut.length > maxNamed) lines.push('…');
  return lines;
}

/** Writes the time of the day, with the day where it is not today. */
function timeOf({ language, timeZone, now }: ReceiptFacts, at: number): string {
  const locale = language === 'en' ? 'en-GB' : language;
  const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  if (dayOf.format(at) !== dayOf.format(now)) return writtenTime(at, language, timeZone);
  return new Intl.DateTimeFormat(locale, { timeZone, hour: 'numeric', minute: '2-digit' }).format(at);
}

function whyOf({ code }: Reason): Parameters<typeof serviceText>[1] {
  if (code === 'album-source-left-out-video') return 'receipt.why.video';
  if (code === 'album-source-left-out-animation') return 'receipt.why.animation';
  if (code === 'album-source-left-out-winmail') return 'receipt.why.winmail';
  if (code === 'album-source-left-out-full') return 'receipt.why.full';
  if (code === 'album-source-left-out-count') return 'receipt.why.many';
  const isLarge = code === 'album-source-left-out-bytes' || code === 'album-source-left-out-mail-bytes';
  return isLarge ? 'receipt.why.large' : 'receipt.why.other';
}
