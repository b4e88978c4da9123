/** The dependencies of connections to papers, and the operator's settings. */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { ConnectionRules } from './compare-configuration.ts';
import type { FetchManifest } from './fetch-manifest.ts';

export interface IntegrationSettings extends ConnectionRules {
  /** `INTEGRATION_PROCESSING`: while false, new grants and content get 503 (INV-68). */
  readonly processingEnabled: boolean;
  /** `PAPERGATE_MESSAGE_SOURCE_PREFIX`: how the host and settings pages name themselves in messages. */
  readonly messageSourcePrefix: string;
}

export interface ConnectionDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  /** A key of 32 bytes that encrypts tokens at rest. */
  readonly sealKey: Uint8Array;
  readonly settings: IntegrationSettings;
  readonly fetchManifest: FetchManifest;
}
