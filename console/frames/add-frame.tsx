/** Adding a frame: from what is written on it to its first wake. */

import { type Signal, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Schemas } from '../../client/contract.ts';
import { callApi, type Problem } from '../ground/call-api.ts';
import { asProblem } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayManage, mayWrite, organizationId } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { CheckField } from '../parts/choice-field.tsx';
import { Field, Form } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyState, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { AdoptFrames } from './adopt-frames.tsx';
import { FirstWake } from './frame/first-wake.tsx';
import type { DeviceRecord } from './frame/frame-state.ts';
import { KindField } from './frame/kind-field.tsx';

type CredentialsMade = Schemas['FrameCredentials'];

/** A frame that was added, and its credentials where they were made here. */
interface Added {
  readonly device: DeviceRecord;
  readonly made: CredentialsMade | undefined;
  /** When it was last heard of before, so that a new wake is told from an old one. */
  readonly seenBefore: string | null;
}

/** What the form holds. */
interface AddForm {
  readonly serial: Signal<string>;
  readonly name: Signal<string>;
  readonly kind: Signal<string>;
  readonly withPassword: Signal<boolean>;
}

/** The page. */
export const AddFrame: Screen = () => {
  useTitle(t('add.title'));
  const added = useSignal<Added | undefined>(undefined);
  return (
    <>
      <div class="heading one-heading">
        <a class="back" href={hrefOf('frames')}>
          <Icon name="back" />
          <span>{t('nav.frames')}</span>
        </a>
        <h1>{t('add.title')}</h1>
      </div>
      {!mayWrite.value && <EmptyState title={t('add.mayNot')} />}
      {mayWrite.value && added.value === undefined && (
        <AddSteps
          done={(what) => {
            added.value = what;
          }}
        />
      )}
      {mayManage.value && added.value === undefined && <AdoptFrames />}
      {mayWrite.value && !mayManage.value && <p class="note">{t('adopt.askAdmin')}</p>}
      {added.value !== undefined && (
        <FirstWake
          {...added.value}
          another={() => {
            added.value = undefined;
          }}
        />
      )}
    </>
  );
};

const AddSteps: ComponentType<{ readonly done: (added: Added) => void }> = ({ done }) => {
  const form: AddForm = {
    serial: useSignal(''),
    name: useSignal(''),
    kind: useSignal(''),
    withPassword: useSignal(false),
  };
  // The serial that the service does not know, while it is the one in the field.
  const unknown = useSignal<string | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
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
      <Field
        label={t('add.serial')}
        hint={t('add.serialHint')}
        value={form.serial}
        required
        maxLength={64}
        autocomplete="off"
      />
      <Field label={t('add.name')} hint={t('add.nameHint')} value={form.name} maxLength={200} />
      {isUnknown && <Unknown form={form} />}
      {problem.value !== undefined && <ProblemBox problem={problem.value} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={isUnknown && !mayManage.value}>
          {isUnknown ? t('add.provision') : t('add.next')}
        </button>
      </div>
    </Form>
  );
};

const Unknown: ComponentType<{ readonly form: AddForm }> = ({ form: { serial, kind, withPassword } }) => (
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
async function register(form: AddForm): Promise<Added> {
  const { device } = await callApi('POST /devices/registerdevice/{serial}', {
    path: { serial: serialOf(form) },
    body: { enable: true, organization: organizationId.value },
  });
  return { device: await named(device, form), made: undefined, seenBefore: await lastSeen(device) };
}

/** Makes a new board a frame, with credentials. */
async function provision(form: AddForm): Promise<Added> {
  const { device, credentials } = await callApi('POST /devices/provision/{serial}', {
    path: { serial: serialOf(form) },
    body: {
      organization: organizationId.value,
      password: form.withPassword.value,
      kind: form.kind.value === '' ? undefined : form.kind.value,
    },
  });
  // Credentials are shown once, so nothing that follows may lose them.
  return { device: await named(device, form).catch(() => device), made: credentials, seenBefore: null };
}

async function named(device: DeviceRecord, { name }: AddForm): Promise<DeviceRecord> {
  const given = name.value.trim();
  if (given === '') return device;
  const meta = { ...device.meta, name: given };
  return callApi('POST /devices/{deviceId}', { path: { deviceId: device.id }, body: { meta } });
}

async function lastSeen({ id, organization }: DeviceRecord): Promise<string | null> {
  const [row] = await callApi('GET /devices/overview', { query: { organization, ids: id } });
  return row?.lastSeenAt ?? null;
}
