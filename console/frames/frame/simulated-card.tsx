/** The actions on a simulated frame: its button, which hardware has, and an end by one click. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { type FleetDevice, rereadDevice } from '../../ground/fleet.ts';
import { goTo } from '../../ground/router.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { act } from '../../parts/messages.tsx';

/** Draws it; nothing for a frame of hardware. */
export const SimulatedCard = ({ row: { id, name, simulated } }: { readonly row: FleetDevice }) => {
  const isBusy = useSignal(false);
  if (!simulated) return null;
  const run = async (work: () => Promise<unknown>, done: string): Promise<void> => {
    isBusy.value = true;
    await act(work, done);
    isBusy.value = false;
  };
  const press = () => callApi('POST /devices/simulated/{deviceId}/button', { path: { deviceId: id } });
  const remove = async (): Promise<void> => {
    await callApi('DELETE /devices/{deviceId}', { path: { deviceId: id } });
    await rereadDevice(id);
    goTo('frames');
  };
  return (
    <Card id="simulated" title={t('simulated.title')} hint={t('simulated.hint')}>
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={() => void run(press, t('simulated.pressed'))}>
          {t('simulated.press')}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void run(remove, t('actions.removed', { name }))}>
          {t('simulated.remove')}
        </button>
      </div>
    </Card>
  );
};
