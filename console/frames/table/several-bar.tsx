/** The actions on the chosen frames, how far one is, and its outcome. */
import { useSignal } from '@preact/signals';
import { mayManage } from '../../ground/session.ts';
import { type TextKey, t } from '../../ground/words.ts';
import { nameOfFrame } from '../../parts/frame-card.tsx';
import { problemText } from '../../parts/states.tsx';
import { type SeveralRun, severalRun, stopSeveral, undoSeveral } from './change-several.ts';
import { chooseNone, chosenFrames } from './chosen-frames.ts';
import { FirmwareOfSeveral } from './firmware-of-several.tsx';
import { foundFrames } from './found-frames.ts';
import { PaperOfSeveral } from './paper-of-several.tsx';
import { PlaceOfSeveral } from './place-of-several.tsx';
import { SettingsOfSeveral } from './settings-of-several.tsx';

const forms = {
  settings: SettingsOfSeveral,
  place: PlaceOfSeveral,
  paper: PaperOfSeveral,
  firmware: FirmwareOfSeveral,
} as const;
type FormName = keyof typeof forms;
const labels: Readonly<Record<FormName, TextKey>> = {
  settings: 'several.settings',
  place: 'several.place',
  paper: 'several.paper',
  firmware: 'several.firmware',
};

/** Draws the bar; nothing while no frame is chosen and nothing was done. */
export const SeveralBar = () => {
  const opened = useSignal<FormName | undefined>(undefined);
  const run = severalRun.value;
  const chosen = chosenFrames.value;
  if (run === undefined && chosen.length === 0) return null;
  const names = (Object.keys(forms) as FormName[]).filter((name) => name !== 'firmware' || mayManage.value);
  const Opened = opened.value === undefined ? undefined : forms[opened.value];
  const isRunning = run?.state === 'running' || run?.state === 'waiting';
  return (
    <section class="several" aria-label={t('several.title')}>
      {run !== undefined && <RunShown run={run} />}
      {chosen.length > 0 && !isRunning && (
        <div class="actions">
          <Chosen />
          {names.map((name) => (
            <button
              key={name}
              type="button"
              aria-haspopup="dialog"
              onClick={() => {
                opened.value = name;
              }}
            >
              {t(labels[name])}
            </button>
          ))}
          <button type="button" class="plain" onClick={chooseNone}>
            {t('several.none')}
          </button>
        </div>
      )}
      {Opened !== undefined && (
        <Opened
          devices={chosen}
          close={() => {
            opened.value = undefined;
          }}
        />
      )}
    </section>
  );
};

/** How many are chosen, and how many of them are not in the list that is shown. */
const Chosen = () => {
  const found = new Set(foundFrames.value);
  const hidden = chosenFrames.value.filter((device) => !found.has(device)).length;
  return (
    <p role="status">
      <strong>{t('several.chosen', { count: chosenFrames.value.length })}</strong>{' '}
      {hidden > 0 && <span class="note">{t('several.hidden', { count: hidden })}</span>}
    </p>
  );
};

/** Reasons are named with some of their frames; all of them would fill the page. */
const maxNamed = 6;

const RunShown = ({ run }: { readonly run: SeveralRun }) => {
  const { total, done, failed, state, isUndo, undo } = run;
  const isRunning = state === 'running' || state === 'waiting';
  return (
    <div class="run">
      {isRunning && <progress value={done + failed.length} max={total} aria-label={t('several.title')} />}
      <p role="status">{runLine(run)}</p>
      {state === 'waiting' && <p class="note">{t('several.waiting')}</p>}
      {failedByReason(failed).map(([reason, names]) => (
        <p key={reason} class="bad">
          <strong>{names.slice(0, maxNamed).join(', ')}</strong>{' '}
          {names.length > maxNamed && t('several.andMore', { count: names.length - maxNamed })} {reason}
        </p>
      ))}
      <div class="actions">
        {isRunning && (
          <button type="button" onClick={stopSeveral}>
            {t('several.stop')}
          </button>
        )}
        {!isRunning && !isUndo && undo.length > 0 && (
          <button type="button" onClick={() => void undoSeveral()}>
            {t('several.undo', { count: undo.length })}
          </button>
        )}
        {!isRunning && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              severalRun.value = undefined;
            }}
          >
            {t('state.dismiss')}
          </button>
        )}
      </div>
    </div>
  );
};

function runLine({ total, done, failed, state, isUndo }: SeveralRun): string {
  if (state === 'running' || state === 'waiting')
    return t('several.running', { done: done + failed.length, count: total });
  if (isUndo) return t('several.undone', { done, count: total });
  return t(state === 'stopped' ? 'several.stopped' : 'several.finished', { done, count: total });
}

function failedByReason(failed: SeveralRun['failed']): [string, string[]][] {
  const reasons = new Map<string, string[]>();
  for (const { device, problem } of failed) {
    const reason = problemText(problem);
    reasons.set(reason, [...(reasons.get(reason) ?? []), nameOfFrame(device)]);
  }
  return [...reasons];
}
