/** The last offer of a frame. */
import { fleet } from '../ground/fleet.ts';

/** Returns the offer that a frame goes back to when what is sent now is taken back; null without one. */
export function newestUpload(deviceId: string): string | null {
  const device = fleet.peek().get(deviceId);
  return device?.due?.uploadId ?? device?.glass?.uploadId ?? null;
}
