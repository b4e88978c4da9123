/** Everything the integration room is handed. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import type { Failpoint } from '../../gateway/runtime/failpoint.ts';
import type { Logger } from '../../gateway/runtime/logger.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import type { DeliveryDescription } from '../delivery/describe-delivery.ts';
import type { DeliveryRow } from '../delivery/states.ts';
import type { RateLimit } from '../http/limit-rate.ts';
import type { FetchManifest } from './fetch-manifest.ts';
import type { UrlRules } from './saved-urls.ts';

/** The operator's settings. */
export interface IntegrationSettings extends UrlRules {
  /** `INTEGRATION_PROCESSING`: while false, new grants and content get 503 (INV-68). */
  readonly processingEnabled: boolean;
  /** `PAPERGATE_MESSAGE_SOURCE_PREFIX`: how the host and settings pages name themselves in messages. */
  readonly messageSourcePrefix: string;
}

/** A picture made safe: oriented, without metadata, fitted within 1600 x 1600, as PNG. */
export type NormalizedImage =
  | { readonly ok: true; readonly png: Buffer }
  | { readonly ok: false; readonly problem: 'unsupported' | 'too-many-pixels' | 'broken' };

/** Spec: Limits. */
export const submissionsPerMinute = 30;
export const exchangesPerMinute = 60;

/** The edges of `integrationRoutes`. */
export interface IntegrationEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Normalized pictures, by digest. */
  readonly files: DurableFolder;
  /** 32 bytes; encrypts tokens at rest. */
  readonly sealKey: Uint8Array;
  readonly settings: IntegrationSettings;
  /** `submissionsPerMinute` by connection, `exchangesPerMinute` by client address. */
  readonly limits: { readonly content: RateLimit; readonly exchange: RateLimit };
  normalizeImage(bytes: Buffer): Promise<NormalizedImage>;
  /** Wakes the delivery line and the outbox; called after a commit that gave them work. */
  nudge(): void;
  /** A short-lived signed URL of a stored picture (T-38). */
  signImage(imageKey: string, requestId: string): string;
  describeDelivery(row: DeliveryRow): Promise<DeliveryDescription>;
  readonly fetchManifest: FetchManifest;
  readonly logger: Logger;
  readonly at?: Failpoint | undefined;
}
