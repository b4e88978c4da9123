/** The fields of a paper that somebody else changed while this person was typing, and the choice between the two. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t, tCode } from '../../ground/words.ts';
import { act } from '../../parts/messages.tsx';
import type { Difference, PaperDraft } from './paper-draft.ts';

const maxValueLength = 300;

/** Draws the differences; where both changed the same field, one of the two is chosen. */
export const DifferencesBox = ({
  draft,
  differences,
  save,
}: {
  readonly draft: PaperDraft;
  readonly differences: readonly Difference[];
  readonly save: (theirs: ReadonlySet<string>) => Promise<void>;
}) => {
  const theirs = useSignal<ReadonlySet<string>>(new Set());
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [differences]);
  return (
    <fieldset class="problem differences" aria-labelledby="differences">
      <h3 id="differences" ref={heading} tabIndex={-1}>
        {t('papers.changedMeanwhile')}
      </h3>
      <p>{t('papers.changedMeanwhileHint')}</p>
      {differences.map((difference) => (
        <OneDifference
          key={difference.field}
          difference={difference}
          isTheirs={theirs.value.has(difference.field)}
          choose={(isTheirs) => {
            const next = new Set(theirs.peek());
            if (isTheirs) next.add(difference.field);
            else next.delete(difference.field);
            theirs.value = next;
          }}
        />
      ))}
      <div class="actions">
        <button type="button" class="primary" disabled={draft.isSaving.value} onClick={() => void save(theirs.value)}>
          {t('papers.saveChosen')}
        </button>
        <button type="button" onClick={() => void act(draft.drop)}>
          {t('papers.dropMine')}
        </button>
      </div>
    </fieldset>
  );
};

const OneDifference = ({
  difference: { field, before, theirs, mine },
  isTheirs,
  choose,
}: {
  readonly difference: Difference;
  readonly isTheirs: boolean;
  readonly choose: (isTheirs: boolean) => void;
}) => (
  <fieldset class="difference">
    <legend>{nameOfField(field)}</legend>
    <p class="note">{t('papers.valueBefore', { value: valueText(before) })}</p>
    {mine === undefined ? (
      <p>{t('papers.valueTheirs', { value: valueText(theirs) })}</p>
    ) : (
      <>
        <label class="check">
          <input type="radio" name={`of-${field}`} checked={!isTheirs} onChange={() => choose(false)} />
          <span>{t('papers.valueMine', { value: valueText(mine.value) })}</span>
        </label>
        <label class="check">
          <input type="radio" name={`of-${field}`} checked={isTheirs} onChange={() => choose(true)} />
          <span>{t('papers.valueTheirs', { value: valueText(theirs) })}</span>
        </label>
      </>
    )}
  </fieldset>
);

/** The name of a field of a meta: as its form calls it where it is known. */
const nameOfField = (field: string): string => tCode('papers.field', field);

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return t('papers.valueNone');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
