/** A frame with a serial on it: it is registered, or given credentials where it is a new board. */
import { type Signal, useSignal } from '@preact/signals';
import { callApi, type Problem } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { mayManage, organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { CheckField } from '../../parts/forms/choice-field.tsx';
import { Field, Form } from '../../parts/forms/field.tsx';
import { ReachWarning, useAddresses } from '../../parts/reach.tsx';
import { ProblemBox } from '../../parts/states.tsx';
import type { DeviceRecord } from '../frame/frame-state.ts';
import type { AddedFrame } from './first-wake.tsx';
import { KindField } from './kind-field.tsx';
import { nameFrame, RoomField } from './room-field.tsx';

/** The fields of the form. */
interface AddForm {
  readonly serial: Signal<string>;
  readonly name: Signal<string>;
  readonly kind: Signal<string>;
  readonly withPassword: Signal<boolean>;
}

/** Draws the form. */
export const AddBySerial = ({ done }: { readonly done: (added: AddedFrame) => void }) => {
  const form: AddForm = {
    serial: useSignal(''),
    name: useSignal(''),
    kind: useSignal(''),
    withPassword: useSignal(false),
  };
  // The serial that the service does not know, while it is the one in the field.
  const unknown = useSignal<string | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const { broker } = useAddresses().value ?? {};
  const isUnknown = unknown.value !== undefined && unknown.value === serialOf(form);
  const submit = async (): Promise<void> => {
    problem.value = undefined;
    try {
      done(isUnknown ? await provision(form) : await register(form));
    } catch (error) {
      const found = asProblem(error);
      if (found.code === 'unknown-frame') unknown.value = serialOf(form);
      else problem.value = found;
    }
  };
  return (
    <Form class="card form add" submit={submit}>
      {broker !== undefined && <p>{t('add.flashFirst', { host: broker.host, port: String(broker.port) })}</p>}
      <Field
        label={t('add.serial')}
        hint={t('add.serialHint')}
        value={form.serial}
        required
        maxLength={64}
        autocomplete="off"
      />
      <RoomField value={form.name} />
      {isUnknown && <Unknown form={form} />}
      {problem.value !== undefined && <ProblemBox problem={problem.value} />}
      <ReachWarning address={broker?.host} whom="frames" />
      <p class="note">{t('add.nextSerial')}</p>
      <div class="actions">
        <button type="submit" class="primary" disabled={isUnknown && !mayManage.value}>
          {isUnknown ? t('add.provision') : t('add.next')}
        </button>
      </div>
    </Form>
  );
};

const Unknown = ({ form: { serial, kind, withPassword } }: { readonly form: AddForm }) => (
  <div class="unknown" role="status">
    <p class="warn">{mayManage.value ? t('add.unknown') : t('add.unknownAsk')}</p>
    {mayManage.value && (
      <>
        <KindField serial={serial.value} kind={kind} />
        <CheckField label={t('credentials.withPassword')} value={withPassword} />
      </>
    )}
  </div>
);

/** A serial is often written in groups, which its spaces part. */
const serialOf = ({ serial }: AddForm): string => serial.value.replace(/\s+/g, '');

/** Registers a frame that is provisioned. */
async function register(form: AddForm): Promise<AddedFrame> {
  const { device } = await callApi('POST /devices/registerdevice/{serial}', {
    path: { serial: serialOf(form) },
    body: { enable: true, organization: organizationId.value },
  });
  const waits = t('add.waitsHint');
  return { device: await nameFrame(device, form.name.value), seenBefore: await lastSeen(device), waits };
}

/** Makes a new board a frame, with credentials. */
async function provision(form: AddForm): Promise<AddedFrame> {
  const { device, credentials } = await callApi('POST /devices/provision/{serial}', {
    path: { serial: serialOf(form) },
    body: {
      organization: organizationId.value,
      password: form.withPassword.value,
      kind: form.kind.value === '' ? undefined : form.kind.value,
    },
  });
  // Credentials are shown once, so nothing that follows may lose them.
  const named = await nameFrame(device, form.name.value).catch(() => device);
  return { device: named, made: credentials, seenBefore: null, waits: t('add.waitsFiles') };
}

async function lastSeen({ id, organization }: DeviceRecord): Promise<string | null> {
  const [row] = await callApi('GET /devices/overview', { query: { organization, ids: id } });
  return row?.lastSeenAt ?? null;
}
