/** A form over the page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { Form } from './field.tsx';

/** The props of a form over the page. */
export interface FormDialogProps {
  readonly title: string;
  /** The label of the button. */
  readonly yes: string;
  /** Whether there is nothing to do yet. */
  readonly isEmpty: boolean;
  readonly submit: () => unknown;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Draws the dialog; it stays until `close` takes it away, and what had the focus before has it then. */
export const FormDialog = ({ title, yes, isEmpty, submit, close, children }: FormDialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog ref={dialog} class="form-dialog" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      <Form class="form" submit={submit}>
        {children}
        <div class="actions">
          <button type="button" onClick={close}>
            {t('state.cancel')}
          </button>
          <button type="submit" class="primary" disabled={isEmpty}>
            {yes}
          </button>
        </div>
      </Form>
    </dialog>
  );
};
