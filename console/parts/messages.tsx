/** The messages about actions: short ones that go by themselves, read aloud, with a way to undo where there is one. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asProblem } from '../ground/resource.ts';
import { t } from '../ground/words.ts';
import { keepClear } from './keep-clear.ts';
import { problemText } from './states.tsx';

type Undo = () => Promise<unknown>;

interface Message {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  /** Undoes the action; it may return its own sentence about the outcome. */
  readonly undo: Undo | undefined;
}

const messages = signal<readonly Message[]>([]);
const shownMs = 8_000;
let lastId = 0;

/** Shows the outcome of an action. A message that can be undone stays longer. */
export function say(text: string, { undo, isProblem = false }: { undo?: Undo; isProblem?: boolean } = {}): void {
  const id = ++lastId;
  messages.value = [...messages.value, { id, text, isProblem, undo }];
  // A problem stays until it is dismissed.
  if (!isProblem) dismissLater(id, undo === undefined ? shownMs : 2 * shownMs);
}

/** A message whose button has the focus stays: it is about to be pressed. */
function dismissLater(id: number, ms: number): void {
  setTimeout(() => {
    if (document.activeElement?.closest(`[data-message="${id}"]`)) dismissLater(id, ms);
    else dismiss(id);
  }, ms);
}

/** Says what went wrong. */
export const sayProblem = (error: unknown): void => say(problemText(asProblem(error)), { isProblem: true });

/**
 * Runs an action of the person, and shows its outcome.
 * @param undo takes it back, where that can be done
 * @returns whether it was done
 */
export async function act(action: () => Promise<unknown>, done?: string, undo?: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    if (done !== undefined) say(done, undo && { undo });
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}

/** Takes an action back, and says so. */
async function takeBack(undo: Undo): Promise<void> {
  try {
    const told = await undo();
    say(typeof told === 'string' ? told : t('state.undone'));
  } catch (error) {
    sayProblem(error);
  }
}

const dismiss = (id: number): void => {
  messages.value = messages.value.filter((message) => message.id !== id);
};

/** The messages, above everything else. */
export const Messages = () => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => (box.current === null ? undefined : keepClear(box.current)), []);
  return (
    <div ref={box} class="messages" aria-live="polite">
      {messages.value.map(({ id, text, isProblem, undo }) => (
        <div
          key={id}
          data-message={id}
          class={isProblem ? 'message bad' : 'message'}
          role={isProblem ? 'alert' : undefined}
        >
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                dismiss(id);
                void takeBack(undo);
              }}
            >
              {t('state.undo')}
            </button>
          )}
          <button type="button" class="plain" aria-label={t('state.dismiss')} onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
};
