/** A field of a source, with what is wrong about it next to it. */
import { useId } from 'preact/hooks';
import type { Bound } from '../../parts/bound.ts';

interface TriedFieldProps {
  readonly label: string;
  readonly value: Bound<string>;
  readonly type?: 'text' | 'password' | 'search' | 'url';
  readonly hint?: string | undefined;
  readonly placeholder?: string;
  readonly problem?: string | undefined;
}

/** Draws the field; its problem is read aloud when it comes. */
export const TriedField = ({ label, value, type = 'text', hint, placeholder, problem }: TriedFieldProps) => {
  const id = useId();
  const described = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...({ type, placeholder } as object)}
        id={id}
        dir="auto"
        autocomplete={type === 'password' ? 'off' : undefined}
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={described || undefined}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
      {problem !== undefined && (
        <p class="said bad" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};
