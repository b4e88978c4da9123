/** The firmware of the organization's frames: what runs, what is behind, and rollouts. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { fleet } from '../ground/fleet.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { mayManage, organizationId } from '../ground/session.ts';
import { isInArea, useVersion } from '../ground/versions.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { EmptyState, Reading } from '../parts/states.tsx';
import { OfferForm } from './offer-form.tsx';
import { RolloutRow } from './rollout-row.tsx';

type FirmwareShown = AnswerOf<'GET /organizations/{organizationId}/firmware/'>;

/** Only the time shows that a frame does not come back: while a rollout is under way, the page checks at this pace. */
const lookEveryMs = 30_000;

/** Draws the card. */
export const Firmware = () => {
  const organization = organizationId.value;
  const isMoving = useSignal(false);
  // Frames report what they run when they wake: while nothing is rolled out that is not news.
  const version = useVersion(
    (change) =>
      isInArea(change, 'firmware', organization) ||
      change.data.type === 'firmware' ||
      (change.data.type === 'hello' && isMoving.peek()),
    [organization],
  );
  const firmware = useResource<FirmwareShown>(
    (signal) =>
      callApi('GET /organizations/{organizationId}/firmware/', { path: { organizationId: organization }, signal }),
    [organization, version],
  );
  isMoving.value = firmware.value?.rollouts.some(({ state }) => state === 'running') === true;
  useEffect(() => {
    if (!isMoving.value) return undefined;
    const timer = setInterval(() => void firmware.reload(), lookEveryMs);
    return () => clearInterval(timer);
  }, [isMoving.value]);
  if (firmware.value === undefined) return <Reading of={firmware} />;
  const { versions, images, rollouts } = firmware.value;
  return (
    <Card id="fleet-firmware" title={t('fleetFirmware.title')}>
      {versions.length === 0 && <EmptyState title={t('fleetFirmware.noFrames')} />}
      <ul class="rows">
        {versions.map((version) => (
          <VersionRow key={`${version.kind} ${version.dialect} ${version.version}`} version={version} />
        ))}
      </ul>
      {versions.some(({ dialect }) => dialect === 'classic') && <p class="note">{t('fleetFirmware.classic')}</p>}
      {versions.length > 0 && images.length === 0 && <p class="note">{t('fleetFirmware.noImages')}</p>}
      {mayManage.value && <OfferForm versions={versions} images={images} offered={firmware.reload} />}
      {rollouts.length > 0 && <h3>{t('fleetFirmware.rollouts')}</h3>}
      <ul class="rows">
        {rollouts.map((rollout) => (
          <RolloutRow key={rollout.id} rollout={rollout} moved={firmware.reload} />
        ))}
      </ul>
    </Card>
  );
};

type Version = FirmwareShown['versions'][number];

const VersionRow = ({ version: found }: { readonly version: Version }) => {
  const { kind, dialect, version, frames, behind, newest, deviceIds } = found;
  return (
    <li class={behind > 0 ? 'meagre' : ''}>
      <span>
        <strong>{version ?? t('fleetFirmware.unknown')}</strong> {kind}
        {dialect !== null && `, ${tCode('dialect', dialect)}`}
      </span>
      <span>{t('fleetFirmware.frames', { count: frames })}</span>
      {newest !== null && (
        <span>
          {behind > 0 ? t('fleetFirmware.behind', { newest }) : version === null ? '' : t('fleetFirmware.upToDate')}
        </span>
      )}
      <details class="wide">
        <summary>
          {t('fleetFirmware.which')}
          <span class="visually-hidden">
            {' '}
            ({version ?? t('fleetFirmware.unknown')} {kind}
            {dialect !== null && `, ${tCode('dialect', dialect)}`})
          </span>
        </summary>
        <ul class="names">
          {deviceIds.map((id) => (
            <li key={id}>
              <a href={hrefOf(`frames/${id}`)}>{fleet.value.get(id)?.name || t('frame.noName')}</a>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
};
