/** Asks before something that cannot be undone. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../ground/words.ts';

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly answer: (isYes: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Asks, and returns whether the person agreed. `yes` names the deed, never just "OK". */
export function confirmed(asked: Omit<Question, 'answer'>): Promise<boolean> {
  question.peek()?.answer(false);
  return new Promise((resolve) => {
    question.value = {
      ...asked,
      answer(isYes) {
        question.value = undefined;
        resolve(isYes);
      },
    };
  });
}

/** The dialog, which stands once in the console. */
export const ConfirmDialog = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const asked = question.value;
  useEffect(() => {
    const opened = dialog.current;
    if (asked === undefined || opened === null) return undefined;
    const before = document.activeElement;
    opened.showModal();
    return () => {
      // The dialog is gone by now, and took the focus with it.
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [asked]);
  if (asked === undefined) return null;
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={() => asked.answer(false)}>
      <h2 id="confirm-title">{asked.title}</h2>
      <p>{asked.text}</p>
      <div class="actions">
        <button type="button" onClick={() => asked.answer(false)}>
          {t('state.cancel')}
        </button>
        <button type="button" class="danger" onClick={() => asked.answer(true)}>
          {asked.yes}
        </button>
      </div>
    </dialog>
  );
};
