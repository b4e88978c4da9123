/** Forms, and their labelled fields. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../ground/words.ts';
import type { Bound } from './bound.ts';

interface FormProps {
  readonly submit: () => unknown;
  readonly id?: string;
  readonly class?: string;
  readonly autocomplete?: 'off';
  readonly noValidate?: boolean;
  readonly children: ComponentChildren;
}

/** Draws a form that sends what was typed by one action, once at a time. */
export const Form: ComponentType<FormProps> = ({ submit, ...more }) => {
  const isBusy = useSignal(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy.peek()) return;
    isBusy.value = true;
    try {
      await submit();
    } finally {
      isBusy.value = false;
    }
  };
  return <form {...more} aria-busy={isBusy.value} onSubmit={(event) => void send(event)} />;
};

export interface FieldProps {
  readonly label: string;
  readonly value: Bound<string>;
  readonly type?:
    | ('text' | 'password' | 'email' | 'url' | 'number' | 'search' | 'color')
    | ('date' | 'time' | 'datetime-local');
  readonly class?: string;
  readonly hint?: string | undefined;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly placeholder?: string;
  readonly dir?: 'auto';
  /** The id of a list of what may be chosen while typing. */
  readonly list?: string;
  /** Several lines instead of one. */
  readonly rows?: number;
}

/** Draws a field. */
export const Field: ComponentType<FieldProps> = ({ label, value, class: name = 'field', hint, ...more }) => {
  const id = useId();
  const Typed = more.rows === undefined ? 'input' : 'textarea';
  return (
    <div class={name}>
      <label for={id}>{label}</label>
      <Typed
        {...(more as object)}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value.value}
        onInput={(event) => {
          event.currentTarget.setCustomValidity('');
          value.value = event.currentTarget.value;
        }}
        // A browser speaks its own language, which may be another one than was chosen here.
        onInvalid={({ currentTarget: field }) => {
          if (field.validity.valueMissing) field.setCustomValidity(t('field.required'));
        }}
      />
      {hint !== undefined && (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};
