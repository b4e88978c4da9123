/** The dependencies of the integration content API's routes. */
import type { ContentDeps } from '../../delivery/content-deps.ts';
import type { ReadCatalogues } from '../../integration/read-catalogues.ts';

export interface IntegrationDeps extends ContentDeps {
  /** Makes a short-lived signed URL of a stored picture (T-38). */
  signImage(imageKey: string, requestId: string): string;
  readonly readCatalogues: ReadCatalogues;
}
