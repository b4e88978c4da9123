/** Words the message of a channel: a single outage by itself, several as a list. Pure. */
import { asTypedHere } from '../../runtime/command-here.ts';
import { serviceText, type WordedLanguage, writtenTime } from '../words/service-words.ts';
import { type OutageKind, outageKinds } from './outage-kinds.ts';

/** An outage as a message reports it. Times are epoch milliseconds. */
export interface ReportedOutage {
  readonly id: string;
  readonly kind: OutageKind;
  readonly subject: string;
  readonly name: string;
  readonly since: number;
  /** Null while it lasts. */
  readonly endedAt: number | null;
}

/** A message as it is sent. */
export interface AlertMessage {
  /** Differs from message to message. */
  readonly id: string;
  readonly title: string;
  /** Sentences, a line each. */
  readonly text: string;
  /** Where to look: a page of the console. */
  readonly link: string;
  readonly isUrgent: boolean;
  readonly isOver: boolean;
  readonly outages: readonly ReportedOutage[];
  /** Deadlines that the message is about, as programs read them. */
  readonly deadlines?: readonly Readonly<Record<string, string | null>>[];
}

/** How a channel's messages are worded. */
interface Wording {
  readonly language: WordedLanguage;
  readonly timeZone: string;
  /** The address of the service, without a slash at its end. */
  readonly publicUrl: string;
}

/** The most outages that one message lists. */
const maxListed = 30;
const minuteMs = 60_000;

/** Words a time span, such as `3 h 20 min`. */
export function wordSpan(ms: number, language: WordedLanguage): string {
  const whole = Math.max(1, Math.round(ms / minuteMs));
  const parts = [
    ['alert.days', Math.floor(whole / 1440)],
    ['alert.hours', Math.floor((whole % 1440) / 60)],
    ['alert.minutes', whole % 60],
  ] as const;
  return (whole >= 1440 ? parts.slice(0, 2) : parts.slice(1))
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => serviceText(language, unit, { count }))
    .join(' ');
}

/** Words one text about an outage. Names given by people may contain line breaks, which end nothing here. */
function say(
  text: 'title' | 'began' | 'todo' | 'endedTitle' | 'ended',
  { kind, name, since, endedAt }: ReportedOutage,
  { language, timeZone }: Wording,
): string {
  return serviceText(language, `alert.${kind}.${text}`, {
    name: name.replaceAll(/\p{Cc}+/gu, ' '),
    since: writtenTime(since, language, timeZone),
    span: wordSpan((endedAt ?? since) - since, language),
  });
}

function linkTo({ kind, subject }: Pick<ReportedOutage, 'kind' | 'subject'>, publicUrl: string): string {
  const places = {
    device: `frames/${subject}`,
    paper: `papers/${subject}`,
    rollout: 'service/firmware',
    organization: 'service',
    job: `frames/jobs/${subject}`,
    service: 'service',
  };
  return `${publicUrl}/console/${places[outageKinds[kind].of]}`;
}

/**
 * Words a message.
 * @param told at least one outage, or what was left out
 * @param leftOut how many notices grew too old to be sent
 */
export function wordMessage(
  id: string,
  told: readonly ReportedOutage[],
  leftOut: number,
  wording: Wording,
): AlertMessage {
  const { language } = wording;
  const over = told.filter(({ endedAt }) => endedAt !== null);
  const isOver = over.length === told.length;
  const isUrgent = told.some(({ kind, endedAt }) => endedAt === null && outageKinds[kind].isUrgent);
  const [only] = told;
  const isOne = told.length === 1 && only !== undefined;
  const left = leftOut > 0 ? [serviceText(language, 'alert.leftOut', { count: leftOut })] : [];
  if (isOne) {
    const link = linkTo(only, wording.publicUrl);
    const lines = isOver
      ? [say('ended', only, wording)]
      : [say('began', only, wording), asTypedHere(say('todo', only, wording))];
    const title = say(isOver ? 'endedTitle' : 'title', only, wording);
    return { id, title, text: [...lines, ...left].join('\n'), link, isUrgent, isOver, outages: told };
  }
  const lasting = told.length - over.length;
  const counts = [
    ...(lasting > 0 ? [serviceText(language, 'alert.open', { count: lasting })] : []),
    ...(over.length > 0 ? [serviceText(language, 'alert.over', { count: over.length })] : []),
  ];
  const listed = told
    .slice(0, maxListed)
    .map((outage) => `- ${say(outage.endedAt === null ? 'began' : 'ended', outage, wording)}`);
  const beyond = told.length - maxListed;
  const more = beyond > 0 ? [serviceText(language, 'alert.more', { count: beyond })] : [];
  return {
    id,
    title: counts.join(', '),
    text: [...listed, ...more, ...left].join('\n'),
    link: `${wording.publicUrl}/console/service/alerts`,
    isUrgent,
    isOver,
    outages: told,
  };
}

/** Words a message that only shows that messages arrive. */
export function wordTest(id: string, { language, publicUrl }: Wording): AlertMessage {
  const [title, text] = [serviceText(language, 'alert.testTitle'), serviceText(language, 'alert.test')];
  const link = `${publicUrl}/console/service/alerts`;
  return { id, title, text, link, isUrgent: false, isOver: false, outages: [] };
}
