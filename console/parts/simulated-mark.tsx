/** The mark of a frame that is not hardware. */
import type { FleetDevice } from '../ground/fleet.ts';
import { t } from '../ground/words.ts';

/** Draws the mark; nothing for a frame of hardware. */
export const SimulatedMark = ({ device: { simulated } }: { readonly device: Pick<FleetDevice, 'simulated'> }) =>
  simulated ? <span class="simulated">{t('frame.simulated')}</span> : null;
