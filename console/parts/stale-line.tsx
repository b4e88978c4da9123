/** The line over the content that says that it may be old. */
import { staleness } from '../ground/live.ts';
import { clockTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { problemText } from './states.tsx';

/** Draws since when the content may be old and why; nothing while changes are published as they happen. */
export const StaleLine = () => {
  const stale = staleness.value;
  if (stale === undefined) return null;
  const { asOf, problem } = stale;
  // What a proxy answers for a service that is away has no code of ours.
  const isGone = problem.status === 0 || problem.code === 'unknown';
  // The reason is read aloud once, the time that moves on is not.
  return (
    <p class="stale">
      <span role="status">{isGone ? t('live.gone') : t('live.refused', { reason: problemText(problem) })}</span>{' '}
      {t('live.asOf', { time: clockTime(asOf) })}
    </p>
  );
};
