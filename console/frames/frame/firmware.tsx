/** The firmware of the frame: what runs, and what a rollout offers it. */
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import type { FrameKnown } from './frame-state.ts';

/** Draws the versions. Rollouts are made for all frames of a kind, not here. */
export const FirmwareCard = ({ known: { device, row } }: { readonly known: FrameKnown }) => {
  const latest = device.iotDevice.fwVersionLatest;
  const offered = typeof latest === 'string' ? latest : undefined;
  return (
    <Card id="firmware" title={t('firmware.title')}>
      <p>{row.firmware === null ? t('firmware.unknown') : t('firmware.runs', { version: row.firmware })}</p>
      <p class="note">
        {offered === undefined
          ? t('firmware.noRollout')
          : offered === row.firmware
            ? t('firmware.taken', { version: offered })
            : t('firmware.offered', { version: offered })}
      </p>
    </Card>
  );
};
