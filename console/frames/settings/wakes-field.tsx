/** How often a frame may wake in a day, whatever its pictures do. */
import { t } from '../../ground/words.ts';
import type { Bound } from '../../parts/bound.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';

const bounds = [2, 4, 6, 8, 12, 24, 48, 96] as const;

interface WakesFieldProps {
  readonly wakes: Bound<string>;
  /** The choices before the bounds; an empty text without a bound, unless given. */
  readonly first?: readonly (readonly [value: string, word: string])[];
}

/** Draws the choice; an unusual bound is among them while it is set. */
export const WakesField = ({ wakes, first = [['', t('settings.wakesNone')]] }: WakesFieldProps) => {
  const offered = [...new Set([...bounds, Number(wakes.value)])].filter((one) => one > 0).sort((a, b) => a - b);
  const choices = offered.map((count) => [String(count), t('settings.wakesOf', { count })] as const);
  return <ChoiceField label={t('settings.wakes')} value={wakes} choices={[...first, ...choices]} />;
};
