/** Forms, and their labelled fields. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import type { Bound } from '../bound.ts';

/** Draws a form that sends what was typed by one action, once at a time. */
export const Form = ({
  submit,
  ...more
}: {
  readonly submit: () => unknown;
  readonly id?: string;
  readonly class?: string;
  readonly autocomplete?: 'off';
  readonly noValidate?: boolean;
  readonly children: ComponentChildren;
}) => {
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
  return (
    <form
      {...more}
      aria-busy={isBusy.value}
      onSubmit={(event) => void send(event)}
      onInvalidCapture={({ target }) => sayFault(target)}
      onInputCapture={({ target }) => forgetFault(target)}
      onChangeCapture={({ target }) => forgetFault(target)}
    />
  );
};

const isControl = (one: EventTarget | null): one is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement || one instanceof HTMLSelectElement;

/** Sets the message about an invalid control in the chosen language: the browser's own may be in another one. */
function sayFault(control: EventTarget | null): void {
  if (!isControl(control)) return;
  control.setCustomValidity('');
  if (!control.validity.valid) control.setCustomValidity(faultOf(control));
}

function forgetFault(control: EventTarget | null): void {
  if (isControl(control)) control.setCustomValidity('');
}

function faultOf(control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): string {
  const { valueMissing, typeMismatch, rangeUnderflow, rangeOverflow } = control.validity;
  if (valueMissing) return t('field.required');
  if (typeMismatch) return t(control.type === 'email' ? 'field.notEmail' : 'field.notAddress');
  const isOutside = rangeUnderflow || rangeOverflow;
  if (isOutside && control instanceof HTMLInputElement && control.min !== '' && control.max !== '')
    return t('field.outside', { min: control.min, max: control.max });
  return t('field.malformed');
}

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
export const Field = ({ label, value, class: name = 'field', hint, ...more }: FieldProps) => {
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
          value.value = event.currentTarget.value;
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
