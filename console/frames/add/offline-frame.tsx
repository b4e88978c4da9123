/** An OpenPaper with the vendor's offline firmware: its room and its panel. */
import { useSignal } from '@preact/signals';
import { callApi, type Problem } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Form } from '../../parts/forms/field.tsx';
import { ReachWarning, useAddresses } from '../../parts/reach.tsx';
import { ProblemBox } from '../../parts/states.tsx';
import type { AddedFrame } from './first-wake.tsx';
import { addressName } from './plain-frame.tsx';
import { nameFrame, RoomField } from './room-field.tsx';

const kinds = ['offline7', 'offline13'] as const;

/** Draws the form. */
export const AddOffline = ({ done }: { readonly done: (added: AddedFrame) => void }) => {
  const name = useSignal('');
  const kind = useSignal<(typeof kinds)[number]>('offline7');
  const problem = useSignal<Problem | undefined>(undefined);
  const addresses = useAddresses();
  const submit = async (): Promise<void> => {
    problem.value = undefined;
    try {
      const made = await callApi('POST /devices/offline/{name}', {
        path: { name: addressName(name.value) },
        body: { organization: organizationId.value, kind: kind.value },
      });
      // The password is shown once, so nothing that follows may lose it.
      const device = await nameFrame(made.device, name.value).catch(() => made.device);
      done({ device, seenBefore: null, offline: made, waits: t('add.waitsOffline') });
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  return (
    <Form class="card form add" submit={submit}>
      <p class="note">{t('add.offlineWhat')}</p>
      <RoomField value={name} />
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
      {problem.value !== undefined && <ProblemBox problem={problem.value} />}
      <ReachWarning address={addresses.value?.polled} whom="frames" />
      <p class="note">{t('add.nextOffline')}</p>
      <div class="actions">
        <button type="submit" class="primary">
          {t('add.next')}
        </button>
      </div>
    </Form>
  );
};
