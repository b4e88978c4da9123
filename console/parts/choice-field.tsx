/** Labelled choices of a form whose values are signals. */
import type { Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useId } from 'preact/hooks';

interface ChoiceFieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly choices: readonly (readonly [value: string, word: string])[];
}

/** Draws a choice of one. */
export const ChoiceField: ComponentType<ChoiceFieldProps> = ({ label, value, choices }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
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
    </div>
  );
};

/** Draws a choice of yes or no. */
export const CheckField: ComponentType<{ readonly label: string; readonly value: Signal<boolean> }> = ({
  label,
  value,
}) => (
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
