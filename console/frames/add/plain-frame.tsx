/** A frame whose firmware fetches one address, as ESPHome does: its room and its panel, then what is entered in it. */
import { useSignal } from '@preact/signals';
import { callApi, type Problem } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Form } from '../../parts/forms/field.tsx';
import { ReachWarning, useAddresses } from '../../parts/reach.tsx';
import { ProblemBox } from '../../parts/states.tsx';
import type { AddedFrame } from './first-wake.tsx';
import { KindField } from './kind-field.tsx';
import { nameFrame, RoomField } from './room-field.tsx';

/** Draws the form. */
export const AddPlain = ({ done }: { readonly done: (added: AddedFrame) => void }) => {
  const name = useSignal('');
  const kind = useSignal('');
  const problem = useSignal<Problem | undefined>(undefined);
  const addresses = useAddresses();
  const submit = async (): Promise<void> => {
    problem.value = undefined;
    try {
      const made = await callApi('POST /devices/plain/{name}', {
        path: { name: addressName(name.value) },
        body: { organization: organizationId.value, kind: kind.value },
      });
      // The key is shown once, so nothing that follows may lose it.
      const device = await nameFrame(made.device, name.value).catch(() => made.device);
      done({ device, seenBefore: null, plain: made, waits: t('add.waitsPlain') });
    } catch (error) {
      problem.value = asProblem(error);
    }
  };
  return (
    <Form class="card form add" submit={submit}>
      <RoomField value={name} />
      <KindField kind={kind} />
      {problem.value !== undefined && <ProblemBox problem={problem.value} />}
      <ReachWarning address={addresses.value?.polled} whom="frames" />
      <p class="note">{t('add.nextPlain')}</p>
      <div class="actions">
        <button type="submit" class="primary">
          {t('add.next')}
        </button>
      </div>
    </Form>
  );
};

/**
 * Returns the name in its address: the letters and digits of the room, and a few digits more, so that two kitchens are two
 * frames.
 */
export function addressName(room: string): string {
  const plain = room
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 24);
  const digits = crypto.getRandomValues(new Uint32Array(1))[0]?.toString(16) ?? '';
  return plain === '' ? digits : `${plain}-${digits}`;
}
