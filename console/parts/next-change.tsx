/** When a picture changes next, and why: on the page of a frame, and on that of what it shows. */
import type { Schemas } from '../../client/contract.ts';
import { saidText } from '../ground/said.ts';
import { clockTime, fullTime, now } from '../ground/times.ts';
import { t } from '../ground/words.ts';

/** Draws the first of some changes that is still to come; nothing where none is known. */
export const NextChange = ({ changes }: { readonly changes: readonly Schemas['PlannedChange'][] }) => {
  const next = changes.find(({ at }) => Date.parse(at) > now.value);
  if (next === undefined) return null;
  const { at, reason = '', reasons } = next;
  return (
    <p class="note" title={fullTime(at)}>
      {t('changes.next', { time: clockTime(at) })} {saidText(reasons, reason)}
    </p>
  );
};
