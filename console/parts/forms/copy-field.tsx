/** A text to pass on: it can be selected, and copied by a button where the browser lets pages copy. */
import { useId } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { say } from '../messages.tsx';

/** Draws the text with its label. */
export const CopyField = ({ label, value }: { readonly label: string; readonly value: string }) => {
  const id = useId();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    say(t('state.copied'));
  };
  return (
    <div class="copy">
      <label for={id}>{label}</label>
      <input id={id} readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
      {/* Over plain http, as in many homes, browsers give pages no clipboard. */}
      {navigator.clipboard !== undefined && (
        <button type="button" aria-label={t('state.copyThis', { what: label })} onClick={() => void copy()}>
          {t('state.copy')}
        </button>
      )}
    </div>
  );
};
