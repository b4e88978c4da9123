/** The choice of a new paper's kind: all kinds, folded to the chosen one as soon as somebody has chosen. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type OfferedKind, offeredKinds, traitsOf } from '../ground/paper-kinds.ts';
import { query } from '../ground/router.ts';
import { t } from '../ground/words.ts';
import type { Bound } from '../parts/bound.ts';
import { Icon } from '../parts/icon.tsx';

/** Draws the choice. Arrow keys go through the kinds; a click, Enter or Space takes one, so that its fields come in sight. */
export const KindChoice = ({ kind }: { readonly kind: Bound<OfferedKind> }) => {
  const isFolded = useSignal(query.peek().has('kind'));
  const choices = useRef<HTMLFieldSetElement>(null);
  const take = (name: OfferedKind): void => {
    kind.value = name;
    isFolded.value = true;
  };
  const isFirst = useRef(true);
  useEffect(() => {
    // Where the page began, nothing moves.
    if (!isFirst.current) {
      choices.current?.querySelector<HTMLInputElement>('input:checked')?.focus({ preventScroll: true });
      choices.current?.scrollIntoView({ block: isFolded.value ? 'nearest' : 'start' });
    }
    isFirst.current = false;
  }, [isFolded.value]);
  return (
    <fieldset class={isFolded.value ? 'kinds folded' : 'kinds'} ref={choices}>
      <legend>{t('papers.whatKind')}</legend>
      {offeredKinds.map((name) => (
        <KindRow
          key={name}
          name={name}
          isChosen={kind.value === name}
          isHidden={isFolded.value && kind.value !== name}
          look={() => {
            kind.value = name;
          }}
          take={() => take(name)}
        />
      ))}
      {isFolded.value && (
        <button
          type="button"
          onClick={() => {
            isFolded.value = false;
          }}
        >
          {t('papers.otherKind')}
        </button>
      )}
    </fieldset>
  );
};

interface KindRowProps {
  readonly name: OfferedKind;
  readonly isChosen: boolean;
  readonly isHidden: boolean;
  /** Chooses it, and leaves the others in sight. */
  readonly look: () => void;
  readonly take: () => void;
}

const KindRow = ({ name, isChosen, isHidden, look, take }: KindRowProps) => (
  <label
    class="kind"
    hidden={isHidden}
    onClick={({ detail }) => {
      // Browsers report an arrow key as a click that no pointer made.
      if (detail > 0) take();
    }}
    onKeyDown={(event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      // Enter would send the form, which has not been filled in yet.
      event.preventDefault();
      take();
    }}
  >
    <input type="radio" name="kind" checked={isChosen} onChange={look} />
    <span>
      <strong>
        {t(`papers.kind.${name}`)}
        <Icon name={traitsOf(name).icon} />
      </strong>
      <span class="note">{t(`papers.kindHint.${name}`)}</span>
    </span>
  </label>
);
