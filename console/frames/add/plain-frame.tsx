/** A frame whose firmware fetches one address, as ESPHome does: its room and its panel, then what is entered in it. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import type { AddedFrame } from './first-wake.tsx';
import { KindField } from './kind-field.tsx';
import { PolledForm } from './polled-form.tsx';

/** Draws the form. */
export const AddPlain = ({ done }: { readonly done: (added: AddedFrame) => void }) => {
  const kind = useSignal('');
  return (
    <PolledForm
      make={({ name, organization }) =>
        callApi('POST /devices/plain/{name}', { path: { name }, body: { organization, kind: kind.value } })
      }
      shown={(plain) => ({ plain, waits: t('add.waitsPlain') })}
      done={done}
      next={t('add.nextPlain')}
    >
      <KindField kind={kind} />
    </PolledForm>
  );
};
