/** An OpenPaper with the vendor's offline firmware: its room and its panel. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import type { AddedFrame } from './first-wake.tsx';
import { PolledForm } from './polled-form.tsx';

const kinds = ['offline7', 'offline13'] as const;

/** Draws the form. */
export const AddOffline = ({ done }: { readonly done: (added: AddedFrame) => void }) => {
  const kind = useSignal<(typeof kinds)[number]>('offline7');
  return (
    <PolledForm
      make={({ name, organization }) =>
        callApi('POST /devices/offline/{name}', { path: { name }, body: { organization, kind: kind.value } })
      }
      shown={(offline) => ({ offline, waits: t('add.waitsOffline') })}
      done={done}
      next={t('add.nextOffline')}
      above={<p class="note">{t('add.offlineWhat')}</p>}
    >
      <fieldset class="choice">
        <legend>{t('add.offlineKind')}</legend>
        {kinds.map((one) => (
          <label key={one} class="check">
            <input
              type="radio"
              name="offline-kind"
              checked={kind.value === one}
              onChange={() => {
                kind.value = one;
              }}
            />
            <span>{t(`add.panel.${one}`)}</span>
          </label>
        ))}
      </fieldset>
    </PolledForm>
  );
};
