/** How a job goes out: to all frames at once, or growing by proof, and at most so many a minute. */
import { type Signal, useSignal } from '@preact/signals';
import { t } from '../../ground/words.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field } from '../../parts/forms/field.tsx';
import type { WantedJob } from './known-jobs.ts';

const growths = {
  all: null,
  tenth: { steps: [10], provenPercent: 95 },
  steps: { steps: [1, 10], provenPercent: 95 },
} as const;
type GrowthName = keyof typeof growths;

/** The choice of a form. */
export interface Pace {
  readonly growth: Signal<string>;
  readonly perMinute: Signal<string>;
}

/** Returns the first choice of a form that opens. */
export const usePace = (): Pace => ({ growth: useSignal('all'), perMinute: useSignal('') });

/** Returns the rules of a job. */
export function rulesOfPace({ growth, perMinute }: Pace): Pick<WantedJob, 'growth' | 'perMinute'> {
  const chosen = growths[growth.value as GrowthName];
  return {
    ...(chosen !== null && { growth: { ...chosen, steps: [...chosen.steps] } }),
    ...(perMinute.value !== '' && { perMinute: Number(perMinute.value) }),
  };
}

/** Draws the fields. */
export const PaceFields = ({ pace }: { readonly pace: Pace }) => (
  <>
    <ChoiceField
      label={t('jobs.pace')}
      value={pace.growth}
      choices={(Object.keys(growths) as GrowthName[]).map((name) => [name, t(`jobs.pace.${name}`)])}
    />
    <Field label={t('jobs.rate')} hint={t('jobs.rateHint')} type="number" min={1} max={10_000} value={pace.perMinute} />
  </>
);
