/** A form over the page by which several frames are changed at once. */
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { FleetDevice } from '../../ground/fleet.ts';
import { t } from '../../ground/words.ts';
import { Form } from '../../parts/field.tsx';

/** What each form is given. */
export interface SeveralProps {
  readonly devices: readonly FleetDevice[];
  readonly close: () => void;
}

interface DialogProps {
  readonly title: string;
  /** What the button says, with for how many frames. */
  readonly yes: string;
  /** Whether there is nothing to do yet. */
  readonly isEmpty: boolean;
  readonly submit: () => unknown;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Draws the dialog. */
export const SeveralDialog: ComponentType<DialogProps> = ({ title, yes, isEmpty, submit, close, children }) => {
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
    <dialog ref={dialog} class="several-dialog" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      <Form
        class="form"
        submit={() => {
          close();
          return submit();
        }}
      >
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
