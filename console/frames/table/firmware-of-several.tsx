/** Offers an image to those of several frames that it is made for. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { type FleetDevice, fleet } from '../../ground/fleet.ts';
import { useResource } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { act } from '../../parts/messages.tsx';
import { Reading } from '../../parts/states.tsx';
import { startJob } from '../jobs/known-jobs.ts';
import { PaceFields, rulesOfPace, usePace } from '../jobs/pace-fields.tsx';
import { SeveralDialog, type SeveralProps } from './several-dialog.tsx';

type FirmwareShown = AnswerOf<'GET /organizations/{organizationId}/firmware/'>;

/** Draws the form. */
export const FirmwareOfSeveral = ({ devices, close }: SeveralProps) => {
  const known = useResource<FirmwareShown>(
    (signal) =>
      callApi('GET /organizations/{organizationId}/firmware/', {
        path: { organizationId: organizationId.peek() },
        signal,
      }),
    [],
  );
  const [picked, pace] = [useSignal(''), usePace()];
  const offers = (known.value?.images ?? [])
    .filter(({ dialect }) => dialect === 'native')
    .map((image) => ({
      ...image,
      key: `${image.kind} ${image.version}`,
      fitting: fittingOf(devices, image.kind, known.value),
    }))
    .filter(({ fitting }) => fitting.length > 0);
  const offer = offers.find(({ key }) => key === picked.value) ?? offers[0];
  const count = offer?.fitting.length ?? 0;
  const submit = async (): Promise<void> => {
    if (offer === undefined) return;
    const { kind, version, fitting } = offer;
    const firmware = { kind, version };
    const wanted = { name: version, firmware, devices: fitting.map(({ id }) => id), ...rulesOfPace(pace) };
    await act(() => startJob(wanted));
  };
  return (
    <SeveralDialog
      title={t('several.firmware')}
      yes={t('several.offer', { count })}
      isEmpty={offer === undefined}
      submit={submit}
      close={close}
    >
      <Reading of={known} />
      {known.value !== undefined && offer === undefined && <p class="note">{t('several.noFirmware')}</p>}
      {offer !== undefined && (
        <>
          <ChoiceField
            label={t('several.image')}
            value={bound(offer.key, (key) => {
              picked.value = key;
            })}
            choices={offers.map(({ key, version, kind }) => [key, `${version} (${kind})`])}
          />
          <PaceFields pace={pace} />
          {count < devices.length && <p class="note">{t('several.others', { count: devices.length - count })}</p>}
        </>
      )}
    </SeveralDialog>
  );
};

/**
 * The frames that take native images of a kind. The service names some frames of each version; another one is taken for
 * what those of its own kind are.
 */
function fittingOf(devices: readonly FleetDevice[], kind: string, known: FirmwareShown | undefined): FleetDevice[] {
  const named = new Map<string, FirmwareShown['versions'][number]>();
  for (const version of known?.versions ?? []) for (const id of version.deviceIds) named.set(id, version);
  const kinds = new Set(
    [...named].filter(([, version]) => version.kind === kind).map(([id]) => fleet.peek().get(id)?.kind),
  );
  return devices.filter((device) => {
    const version = named.get(device.id);
    if (version === undefined) return kinds.has(device.kind) && device.serial !== null;
    return version.kind === kind && version.dialect !== 'classic';
  });
}
