/** Words what a channel has to tell: one outage as a message of its own, several as a list. Pure. */
import type { AlertLanguage } from './channels.ts';
import { messageWords } from './message-texts.ts';
import { type OutageKind, outageKinds } from './outage-kinds.ts';

/** What a message tells of an outage. Times are epoch milliseconds. */
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
}

/** How a channel's messages are worded. */
interface Wording {
  readonly language: AlertLanguage;
  readonly timeZone: string;
  /** The address of the service, without a slash at its end. */
  readonly publicUrl: string;
}

/** The most outages that one message lists. */
const maxListed = 30;
const minuteMs = 60_000;

/** Words a time span, such as `3 h 20 min`. */
export function wordSpan(ms: number, language: AlertLanguage): string {
  const { days, hours, minutes } = messageWords[language];
  const whole = Math.max(1, Math.round(ms / minuteMs));
  const [d, h, min] = [Math.floor(whole / 1440), Math.floor((whole % 1440) / 60), whole % 60];
  const parts: [number, string][] =
    d > 0
      ? [
          [d, days],
          [h, hours],
        ]
      : [
          [h, hours],
          [min, minutes],
        ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

function wordTime(at: number, { language, timeZone }: Wording): string {
  const format = {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, format).format(at);
}

/** Fills in the values. What people call things may hold line breaks, which end nothing here. */
function filled(template: string, { name, since, endedAt }: ReportedOutage, wording: Wording): string {
  const values: Readonly<Record<string, string>> = {
    name: name.replaceAll(/\p{Cc}+/gu, ' '),
    since: wordTime(since, wording),
    span: wordSpan((endedAt ?? since) - since, wording.language),
  };
  return template.replaceAll(/\{(\w+)\}/g, (whole, value: string) => values[value] ?? whole);
}

function linkTo({ kind, subject }: Pick<ReportedOutage, 'kind' | 'subject'>, publicUrl: string): string {
  const places = {
    device: `frames/${subject}`,
    paper: `papers/${subject}`,
    rollout: 'service/firmware',
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
  const words = messageWords[wording.language];
  const over = told.filter(({ endedAt }) => endedAt !== null);
  const isOver = over.length === told.length;
  const isUrgent = told.some(({ kind, endedAt }) => endedAt === null && outageKinds[kind].isUrgent);
  const [only] = told;
  const isOne = told.length === 1 && only !== undefined;
  const left = leftOut > 0 ? [words.leftOut(leftOut)] : [];
  if (isOne) {
    const own = words.kinds[only.kind];
    const say = (template: string): string => filled(template, only, wording);
    const link = linkTo(only, wording.publicUrl);
    const lines = isOver ? [say(own.ended)] : [say(own.began), say(own.todo)];
    const title = say(isOver ? own.endedTitle : own.title);
    return { id, title, text: [...lines, ...left].join('\n'), link, isUrgent, isOver, outages: told };
  }
  const lasting = told.length - over.length;
  const counts = [...(lasting > 0 ? [words.open(lasting)] : []), ...(over.length > 0 ? [words.over(over.length)] : [])];
  const listed = told.slice(0, maxListed).map((outage) => {
    const own = words.kinds[outage.kind];
    return `- ${filled(outage.endedAt === null ? own.began : own.ended, outage, wording)}`;
  });
  const more = told.length > maxListed ? [words.more(told.length - maxListed)] : [];
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
  const { testTitle: title, test: text } = messageWords[language];
  const link = `${publicUrl}/console/service/alerts`;
  return { id, title, text, link, isUrgent: false, isOver: false, outages: [] };
}
