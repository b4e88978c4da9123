/** Words what a step owes to one receiver: a single frame by itself, several as a list. Pure. */
import type { Reasons } from '../../reasons/reason.ts';
import { isoTime, isoTimeOrNull } from '../../runtime/clock.ts';
import type { AlertMessage } from '../alerts/word-message.ts';
import { serviceText, type WordedLanguage, writtenTime } from '../words/service-words.ts';
import { waysOutOf } from './deadline-reasons.ts';
import { type DeadlineCause, type DeadlineState, deadlineCauses } from './deadline-state.ts';

/** A deadline at stake, or met again, as a message tells it. Times are epoch milliseconds. */
export interface ToldDeadline {
  readonly occurrenceId: string;
  readonly deadlineId: string;
  /** Null where no frame is to show it. */
  readonly deviceId: string | null;
  readonly frame: string;
  readonly paper: string;
  readonly state: DeadlineState;
  readonly cause: Reasons;
  readonly by: number;
  readonly timeZone: string;
  readonly proofAt: number | null;
  readonly isUrgent: boolean;
}

/** The most deadlines that one message lists. */
const maxListed = 30;

interface Words {
  readonly language: WordedLanguage;
  readonly publicUrl: string;
}

const isWell = (state: DeadlineState): boolean => state === 'met' || state === 'met-late';

/** Names given by people may contain line breaks, which end nothing here. */
const oneLine = (name: string): string => name.replaceAll(/\p{Cc}+/gu, ' ');

function say({ deviceId, frame, paper, state, by, proofAt, timeZone }: ToldDeadline, language: WordedLanguage): string {
  const isNowhere = deviceId === null && (state === 'unavoidable' || state === 'missed');
  return serviceText(language, isNowhere ? `deadline.nowhere.${state}` : `deadline.${state}`, {
    frame: oneLine(frame),
    paper: oneLine(paper),
    by: writtenTime(by, language, timeZone),
    at: writtenTime(proofAt ?? by, language, timeZone),
  });
}

/** Words the causes and the nearest way out of one deadline, a line each; nothing where all is well. */
function whyAndHow({ cause: reasons, state, timeZone }: ToldDeadline, language: WordedLanguage): readonly string[] {
  if (isWell(state)) return [];
  const causes = reasons.flatMap((reason) => {
    if (typeof reason !== 'object') return [];
    const cause = deadlineCauses.find((one): one is DeadlineCause => reason.code === `deadline-${one}`);
    const time = Date.parse(String(reason.params?.time ?? ''));
    const values = Number.isNaN(time) ? {} : { time: writtenTime(time, language, timeZone) };
    return cause === undefined ? [] : [serviceText(language, `deadline.cause.${cause}`, values)];
  });
  const [way] = waysOutOf(reasons);
  return [...causes, ...(way === undefined ? [] : [serviceText(language, `deadline.way.${way}`)])];
}

/**
 * Words a message.
 * @param told at least one
 */
export function wordDeadlines(id: string, told: readonly ToldDeadline[], { language, publicUrl }: Words): AlertMessage {
  const isOver = told.every(({ state }) => isWell(state));
  const isUrgent = told.some((one) => one.isUrgent && !isWell(one.state));
  const [only] = told;
  const common = { id, isUrgent, isOver, outages: [], deadlines: told.map(spelled) };
  if (told.length === 1 && only !== undefined) {
    const lines = whyAndHow(only, language);
    const title = say(only, language);
    return {
      ...common,
      title,
      text: lines.length === 0 ? title : lines.join('\n'),
      link: only.deviceId === null ? `${publicUrl}/console/papers` : `${publicUrl}/console/frames/${only.deviceId}`,
    };
  }
  const listed = told
    .slice(0, maxListed)
    .flatMap((one) => [`- ${say(one, language)}`, ...whyAndHow(one, language).map((line) => `  ${line}`)]);
  const beyond = told.length - maxListed;
  const more = beyond > 0 ? [serviceText(language, 'alert.more', { count: beyond })] : [];
  return {
    ...common,
    title: serviceText(language, 'deadline.several', { count: told.length }),
    text: [...listed, ...more].join('\n'),
    link: `${publicUrl}/console/frames`,
  };
}

/** A deadline as programs read it in a webhook. */
function spelled({ occurrenceId, deadlineId, deviceId, frame, paper, state, cause, by, proofAt }: ToldDeadline) {
  const [reason] = cause;
  return {
    id: occurrenceId,
    deadlineId,
    deviceId,
    frame,
    paper,
    state,
    cause: typeof reason === 'object' ? reason.code : null,
    by: isoTime(by),
    provenAt: isoTimeOrNull(proofAt),
  };
}
