/** Labelled choices of a form. */
import { useId } from 'preact/hooks';
import type { Bound } from '../bound.ts';

/** Draws a choice of one. */
export const ChoiceField = ({
  label,
  value,
  choices,
  class: name = 'field',
  hint,
  ...rest
}: {
  readonly label: string;
  readonly value: Bound<string>;
  readonly choices: readonly (readonly [value: string, word: string])[];
  readonly class?: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
}) => {
  const id = useId();
  return (
    <div class={name}>
      <label for={id}>{label}</label>
      <select
        {...rest}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.value;
        }}
      >
        {choices.map(([choice, word]) => (
          <option key={choice} value={choice} selected={choice === value.value}>
            {word}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

/** Draws a choice of yes or no. */
export const CheckField = ({ label, value }: { readonly label: string; readonly value: Bound<boolean> }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={value.value}
      onChange={(event) => {
        value.value = event.currentTarget.checked;
      }}
    />
    <span>{label}</span>
  </label>
);
