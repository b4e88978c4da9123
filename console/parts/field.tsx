/** A labelled field of a form whose value is a signal. */
import type { Signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'number' | 'date' | 'time' | 'datetime-local' | 'search';
  readonly hint?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly maxLength?: number;
  /** Several lines instead of one. */
  readonly rows?: number;
}

/** Draws the field. */
export const Field: ComponentType<FieldProps> = ({ label, value, type = 'text', hint, rows, ...more }) => {
  const id = useId();
  const shared = { id, ...more, 'aria-describedby': hint === undefined ? undefined : `${id}-hint`, value: value.value };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          type={type as 'text'}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
        />
      )}
      {hint !== undefined && (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};
