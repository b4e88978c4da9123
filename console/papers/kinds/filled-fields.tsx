/** The choices of an album that is filled from elsewhere, and the words that stand on its pictures. */
import { t } from '../../ground/words.ts';
import { type Bound, bound } from '../../parts/bound.ts';
import { CheckField } from '../../parts/forms/choice-field.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';

interface WithDraft {
  readonly draft: PaperDraft;
}

/** The rules by which pictures are left out, as they are unless somebody chooses. */
const leftOutByDefault = {
  screenshot: true,
  'screenshot-guess': true,
  small: true,
  shape: true,
  message: false,
  blurred: false,
} as const;
type Rule = keyof typeof leftOutByDefault;
const rules = Object.keys(leftOutByDefault) as Rule[];

const captionParts = ['date', 'place', 'caption'] as const;

/** A choice of yes or no; without it the field leaves the meta. */
const isOn = (draft: PaperDraft, field: string): Bound<boolean> =>
  bound(draft.get(field) === true, (on) => draft.set(field, on ? true : undefined));

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Whether a rule leaves pictures out; what is as it would be anyway is not stored. */
function leavesOut(draft: PaperDraft, rule: Rule): Bound<boolean> {
  const stored = recordIn(draft.get('leavesOut'));
  const own = stored[rule];
  return bound(typeof own === 'boolean' ? own : leftOutByDefault[rule], (on) => {
    const others = Object.entries(stored).filter(([name]) => name !== rule);
    const next = Object.fromEntries(on === leftOutByDefault[rule] ? others : [...others, [rule, on]]);
    draft.set('leavesOut', Object.keys(next).length === 0 ? undefined : next);
  });
}

/** Draws which pictures are shown, and how. */
export const FilledFields = ({ draft }: WithDraft) => (
  <>
    <CheckField label={t('album.favourites')} value={isOn(draft, 'favourites')} />
    <CheckField label={t('album.fitting')} value={isOn(draft, 'fitting')} />
    <CheckField label={t('album.pairs')} value={isOn(draft, 'pairs')} />
    <details>
      <summary>{t('album.leavesOut')}</summary>
      <fieldset class="part">
        <legend class="visually-hidden">{t('album.leavesOut')}</legend>
        {rules.map((rule) => (
          <CheckField key={rule} label={t(`album.leavesOut.${rule}`)} value={leavesOut(draft, rule)} />
        ))}
        <p class="note">{t('album.leavesOutHint')}</p>
      </fieldset>
    </details>
  </>
);

/** Draws which words stand on the pictures. */
export const CaptionsField = ({ draft }: WithDraft) => {
  const stored = draft.get('words');
  const chosen: readonly unknown[] = Array.isArray(stored) ? stored : [];
  const choose = (part: string, on: boolean): void => {
    const next = captionParts.filter((one) => (one === part ? on : chosen.includes(one)));
    draft.set('words', next.length === 0 ? undefined : next);
  };
  return (
    <fieldset class="part album-orders">
      <legend>{t('album.captions')}</legend>
      {captionParts.map((part) => (
        <CheckField
          key={part}
          label={t(`album.captions.${part}`)}
          value={bound(chosen.includes(part), (on) => choose(part, on))}
        />
      ))}
      <p class="note">{t('album.seenAbove')}</p>
    </fieldset>
  );
};
