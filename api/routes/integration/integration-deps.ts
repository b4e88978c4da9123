import type { ReadCatalogues } from '../../integration/read-catalogues.ts';
import type { ContentDeps } from '../../submissions/content-deps.ts';

export interface IntegrationDeps extends ContentDeps {
  /** Makes a short-lived signed URL of a stored picture (T-38). */
  signImage(imageKey: string, requestId: string): string;
  readonly readCatalogues: ReadCatalogues;
}
