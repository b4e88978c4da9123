/** The callbacks of a paper with every attempt, as the stream reports them, and sending one again. */

import { useSignal } from '@preact/signals';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { clockTime, fullTime, relativeTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { act } from '../../parts/messages.tsx';
import { useDeliveriesVersion } from './connections.tsx';

type CallbackShown = Schemas['SentCallback'];

const listName = 'GET /v1/integration-papers/papers/{paperId}/callbacks';
const pageRows = 25;

/** Draws the callbacks, the newest first. */
export const Callbacks = ({ paperId }: { readonly paperId: string }) => {
  const older = useSignal<readonly CallbackShown[]>([]);
  const isEnd = useSignal(false);
  const version = useDeliveriesVersion(paperId);
  const read = useResource<{ callbacks: readonly CallbackShown[] }>(
    (signal) => callApi(listName, { path: { paperId }, query: { limit: pageRows }, signal }),
    [paperId, version],
  );
  const newest = read.value?.callbacks ?? [];
  const shown = [...newest, ...older.value.filter(({ eventId }) => newest.every((one) => one.eventId !== eventId))];
  const more = async (): Promise<void> => {
    const before = shown.at(-1)?.eventId ?? '';
    const { callbacks } = await callApi(listName, { path: { paperId }, query: { limit: pageRows, before } });
    older.value = [...older.peek(), ...callbacks];
    isEnd.value = callbacks.length < pageRows;
  };
  const again = async (eventId: string): Promise<void> => {
    const call = () =>
      callApi('POST /v1/integration-papers/papers/{paperId}/callbacks/{eventId}/again', { path: { paperId, eventId } });
    if (!(await act(call, t('callback.isSentAgain')))) return;
    older.value = [];
    await read.reload();
  };
  return (
    <Card id="paper-callbacks" title={t('callback.title')} hint={t('callback.hint')} of={read}>
      {read.value !== undefined && shown.length === 0 && <p class="note">{t('callback.none')}</p>}
      <ul class="rows callbacks">
        {shown.map((callback) => (
          <Callback key={callback.eventId} callback={callback} again={() => void again(callback.eventId)} />
        ))}
      </ul>
      {newest.length === pageRows && !isEnd.value && (
        <button type="button" onClick={() => void act(more)}>
          {t('callback.more')}
        </button>
      )}
    </Card>
  );
};

const Callback = ({ callback, again }: { readonly callback: CallbackShown; readonly again: () => void }) => {
  const { state, frameName, messageId, occurredAt, outcome, attempts, attemptCount, nextAttemptAt, problem, problems } =
    callback;
  const what = frameName === undefined ? t(`callback.state.${state}`) : `${t(`callback.state.${state}`)}: ${frameName}`;
  return (
    <li>
      <details class="events">
        <summary>
          <span class={outcome === 'dropped' ? 'bad' : undefined}>{t(`callback.outcome.${outcome}`)}</span> · {what}{' '}
          <span class="note" title={fullTime(occurredAt)}>
            {clockTime(occurredAt)}, {t('callback.attempts', { count: attemptCount })}
          </span>
        </summary>
        <p class="note">{t('callback.of', { message: messageId, event: callback.eventId })}</p>
        {problem !== undefined && <p class="note">{t('callback.problem', { reason: saidText(problems, problem) })}</p>}
        {nextAttemptAt !== undefined && (
          <p class="note" title={fullTime(nextAttemptAt)}>
            {t('callback.next', { when: relativeTime(nextAttemptAt) })}
          </p>
        )}
        {attempts.length > 0 && <Attempts attempts={attempts} />}
      </details>
      <button type="button" aria-label={t('callback.againNamed', { what })} onClick={again}>
        {t('callback.again')}
      </button>
    </li>
  );
};

const Attempts = ({ attempts }: Pick<CallbackShown, 'attempts'>) => (
  <table>
    <thead>
      <tr>
        <th scope="col">{t('callback.at')}</th>
        <th scope="col">{t('callback.took')}</th>
        <th scope="col">{t('callback.answer')}</th>
      </tr>
    </thead>
    <tbody>
      {attempts.toReversed().map(({ at, tookMs, status, problem, problems }) => (
        <tr key={at}>
          <td title={fullTime(at)}>{clockTime(at)}</td>
          <td>{t('callback.ms', { count: Math.round(tookMs) })}</td>
          <td>
            {problem === undefined
              ? t('callback.status', { status: String(status ?? '') })
              : saidText(problems, problem)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
