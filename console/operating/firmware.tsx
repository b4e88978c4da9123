/** The firmware of the organization's frames: what runs, what is behind, and rollouts. */
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { fleet } from '../ground/fleet.ts';
import { useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { mayManage, organizationId } from '../ground/session.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { EmptyState, Reading } from '../parts/states.tsx';
import { OfferForm } from './offer-form.tsx';
import { RolloutRow } from './rollout-row.tsx';

type FirmwareShown = AnswerOf<'GET /organizations/{organizationId}/firmware/'>;

/** A rollout that is under way is looked at again at this pace. */
const lookEveryMs = 10_000;

/** Draws the card. */
export const Firmware: ComponentType = () => {
  const organization = organizationId.value;
  const firmware = useResource<FirmwareShown>(
    (signal) =>
      callApi('GET /organizations/{organizationId}/firmware/', { path: { organizationId: organization }, signal }),
    [organization],
  );
  const isMoving = firmware.value?.rollouts.some(({ state }) => state === 'running') === true;
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(() => void firmware.reload(), lookEveryMs);
    return () => clearInterval(timer);
  }, [isMoving]);
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

const VersionRow: ComponentType<{ readonly version: Version }> = ({ version: found }) => {
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
