/** The fault rates that model a climate of live frames under virtual time. */
import { type Climate, resendMs } from '../../../simulator/air/climates.ts';
import type { FaultRates } from './fault-rates.ts';

/** The fault rates that come of the network alone. */
export type NetworkFaults = Pick<
  FaultRates,
  'delayMs' | 'linkBreaks' | 'downloadBreaks' | 'downloadMs' | 'messageTwice'
>;

/** The size of the largest common picture, that of a thirteen-inch panel. */
const pictureBytes = 960_004;
const packetBytes = 1460;

/**
 * Returns the fault rates of a climate. Durations are the longest ones, between which and the shortest a run draws: of a
 * message such that the mean is that of the climate, and of a picture of thirteen inches. A connection that falls silent
 * counts as one that breaks, since both sides learn of it late or never. A message comes twice where a connection broke
 * before it was acknowledged.
 */
export function faultsIn({ latencyMs, jitterMs, loss, cuts, halfOpen, bytesPerSecond }: Climate): NetworkFaults {
  const breaks = 1 - (1 - cuts) * (1 - halfOpen);
  const resendsMs = (resendMs * Math.min(loss, 0.5)) / (1 - Math.min(loss, 0.5));
  const wayMs = latencyMs + jitterMs;
  const sendMs = bytesPerSecond === 0 ? 0 : (pictureBytes / bytesPerSecond) * 1000;
  const stallsMs = ((pictureBytes / packetBytes) * loss * resendMs) / (1 - Math.min(loss, 0.5));
  return {
    delayMs: Math.max(2, Math.round(2 * (latencyMs + jitterMs / 2 + resendsMs))),
    linkBreaks: breaks,
    downloadBreaks: breaks,
    downloadMs: Math.max(10, Math.round(4 * wayMs + sendMs + stallsMs)),
    messageTwice: breaks / 2,
  };
}
