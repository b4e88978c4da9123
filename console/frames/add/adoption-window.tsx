/** How a frame is made to ask, and the time in which every frame that asks is adopted. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { clockTime, now } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { CopyField } from '../../parts/forms/copy-field.tsx';
import { act } from '../../parts/messages.tsx';
import { ReachWarning } from '../../parts/reach.tsx';
import { ProblemBox } from '../../parts/states.tsx';

const openMinutes = 15;

/** Draws the end of the open window, and the buttons that open and close it. */
export const AdoptionWindow = ({ organization }: { readonly organization: string }) => {
  const isBusy = useSignal(false);
  const window = useResource(
    (signal) => callApi('GET /devices/adoption-window', { query: { organization }, signal }),
    [organization, now.value],
  );
  if (window.problem !== undefined) {
    return <ProblemBox problem={window.problem} again={() => void window.reload()} />;
  }
  if (window.value === undefined) return null;
  const { until, adopted, most } = window.value;
  const isOpen = until !== null && new Date(until).getTime() > now.value;
  const set = async (minutes: number): Promise<void> => {
    isBusy.value = true;
    await act(async () => {
      window.put(await callApi('PUT /devices/adoption-window', { body: { organization, minutes } }));
    });
    isBusy.value = false;
  };
  return (
    <>
      <HowToAsk base={window.value.baseAddress} />
      <h3>{t('adopt.windowTitle')}</h3>
      <p class={isOpen ? 'warn' : 'note'} role="status">
        {isOpen
          ? `${t('adopt.windowOpen', { time: clockTime(until) })} ${t('adopt.windowCount', { adopted, most })}`
          : t('adopt.windowHint')}
      </p>
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={() => void set(isOpen ? 0 : openMinutes)}>
          {isOpen ? t('adopt.windowEnd') : t('adopt.windowBegin', { count: openMinutes })}
        </button>
      </div>
    </>
  );
};

/** The address is the service's own: pictures lie below it, and a frame identifies itself only there. */
const HowToAsk = ({ base }: { readonly base: string }) => {
  return (
    <>
      <p class="note">{t('adopt.how')}</p>
      <ReachWarning address={base} whom="frames" />
      <CopyField label={t('adopt.base')} value={base} />
    </>
  );
};
