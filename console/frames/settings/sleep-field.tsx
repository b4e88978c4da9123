/** How long a frame sleeps between two wakes. */
import { spanWords } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import type { Bound } from '../../parts/bound.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';

interface SleepFieldProps {
  /** The seconds as text; empty for none, where that may be chosen. */
  readonly sleep: Bound<string>;
  /** The label of the choice that changes nothing, if there is one. */
  readonly none?: string;
  /** Words below the choice. */
  readonly hint?: string;
}

const sleeps = [60, 300, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400] as const;

/** Draws the choice; an unusual time is among them while it is set. */
export const SleepField = ({ sleep, none, hint }: SleepFieldProps) => {
  const offered = [...new Set([...sleeps, Number(sleep.value)])].filter((one) => one > 0).sort((a, b) => a - b);
  const choices = offered.map((seconds) => [String(seconds), spanWords(seconds)] as const);
  return (
    <ChoiceField
      label={t('settings.sleep')}
      value={sleep}
      choices={none === undefined ? choices : [['', none], ...choices]}
      {...(hint !== undefined && { hint })}
    />
  );
};
