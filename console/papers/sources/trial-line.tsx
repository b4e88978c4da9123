/** The line that says what a source answered: how many pictures, and of when the newest is. */
import { relativeTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import type { TrialState } from './use-trial.ts';

interface TrialLineProps {
  readonly trial: TrialState;
  /** Whether everything that must be chosen is. */
  readonly isChosen: boolean;
  /** Whether the place is whole, so that it is tried. */
  readonly isBegun: boolean;
}

/** Draws the line; it is read aloud when it changes. */
export const TrialLine = (props: TrialLineProps) => (
  <p
    class={props.trial.isCurrent && props.isChosen && props.trial.tried?.count === 0 ? 'said bad' : 'line'}
    role="status"
  >
    {lineOf(props)}
  </p>
);

function lineOf({ trial: { tried, isCurrent, isTrying, problem }, isChosen, isBegun }: TrialLineProps): string {
  if (!isBegun || problem !== undefined) return '';
  if (isTrying || !isCurrent) return t('sources.trying');
  if (tried === undefined) return '';
  const { title, server, count, newestAt } = tried;
  const name = title ?? server ?? '';
  if (!isChosen) return t('sources.answers', { name: server ?? name });
  if (count === null) return t('sources.foundSome', { name });
  if (count === 0) return t('sources.foundNone', { name });
  return newestAt === null
    ? t('sources.found', { name, count })
    : t('sources.foundNewest', { name, count, when: relativeTime(newestAt) });
}
