/** Why a frame wakes when it is expected. */
import type { AnswerOf } from '../../ground/call-api.ts';
import { saidText } from '../../ground/said.ts';
import { clockTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';

type WakesForShown = NonNullable<AnswerOf<'GET /devices/why/{deviceId}'>['wakesFor']>;

/** Draws one line, and nothing for a frame that just sleeps as long as it is set. An older service says nothing of it. */
export const WakesFor = ({ wakesFor }: { readonly wakesFor: WakesForShown | null | undefined }) => {
  if (wakesFor == null || wakesFor.at === null || wakesFor.end === 'proof' || wakesFor.end === 'longest') return null;
  const { end, at, reason, reasons, leftOut } = wakesFor;
  const sentences = [
    t(`wakes.${end}`, { when: clockTime(at) }),
    reason !== null && saidText(reasons, reason),
    leftOut > 0 && t('wakes.leftOut', { count: leftOut }),
  ];
  return <p class="note wakes-for">{sentences.filter(Boolean).join(' ')}</p>;
};
