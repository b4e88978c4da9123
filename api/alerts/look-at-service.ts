/** Finds the troubles of the service itself, about which its operator is notified. */
import type { Condition, OutageKind } from './outage-kinds.ts';

/** How often the broker's certificate is looked at. */
const certificateLookMs = 3_600_000;
const certificateEndsSoonMs = 14 * 86_400_000;
/** The room on the disk of the data folder below which the service is degraded (docs/monitoring.md). */
export const littleBytes = 200 * 1024 * 1024;

/** The readings of the service itself. */
export interface ServiceLook {
  /** The free bytes of the disk that the data folder is on. */
  readonly freeBytes: () => Promise<number>;
  /** When the broker's certificate ends, epoch milliseconds; undefined where nobody knows. */
  readonly certificateEnd: () => Promise<number | undefined>;
}

/** The conditions that were found, and the kinds that could be looked at: one that could not be looked at has not ended. */
interface FoundAtService {
  readonly found: readonly Condition[];
  readonly looked: readonly OutageKind[];
}

/** Returns a condition of the service. */
export const conditionOfService = (kind: OutageKind, since: number): Condition => ({
  organizationId: null,
  kind,
  subject: 'service',
  name: '',
  since,
});

/** Makes the look, which remembers the certificate for an hour. */
export function lookAtService({ freeBytes, certificateEnd }: ServiceLook): (now: number) => Promise<FoundAtService> {
  let certificate: { readonly lookedAt: number; readonly end: number | undefined } | undefined;
  return async (now) => {
    if (certificate === undefined || now - certificate.lookedAt >= certificateLookMs) {
      certificate = { lookedAt: now, end: await certificateEnd().catch(() => undefined) };
    }
    const { end } = certificate;
    const free = await freeBytes().catch(() => undefined);
    const isEnding = end !== undefined && end < now + certificateEndsSoonMs;
    return {
      found: [
        ...(free !== undefined && free < littleBytes ? [conditionOfService('disk-low', now)] : []),
        ...(isEnding ? [conditionOfService('certificate-ending', now)] : []),
      ],
      looked: [
        ...(free === undefined ? [] : (['disk-low'] as const)),
        ...(end === undefined ? [] : (['certificate-ending'] as const)),
      ],
    };
  };
}
