/** The dependencies and limits of accepting and describing pushed content. */

import type { Cluster } from '../../cluster/cluster.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Failpoint } from '../../runtime/failpoint.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { DeliveryRow } from '../delivery-state/states.ts';
import { type RateLimit, rateLimit } from '../http/limit-rate.ts';
import type { FileContent } from '../http/uploaded-file.ts';
import type { NormalizedImage, QueuePlace } from '../images/normalize-image.ts';
import type { ConnectionDeps } from '../integration/connection-deps.ts';
import type { DeliveryDescription } from './describe-delivery.ts';

/** Submissions by connection and by organization, exchanges by client address. */
export interface IntegrationLimits {
  readonly content: RateLimit;
  readonly organizationContent: RateLimit;
  readonly exchange: RateLimit;
}

/** The limit of one connection, which the spec sets under Limits. */
const submissionsPerMinute = 30;
/** The limit of all the connections of an organization together (T-61). */
const organizationSubmissionsPerMinute = 600;
const exchangesPerMinute = 60;

/** The limits, with nothing counted yet. They hold for all nodes together. */
export function integrationLimits({ counters }: Pick<Cluster, 'counters'>): IntegrationLimits {
  return {
    content: rateLimit(submissionsPerMinute, counters('content')),
    organizationContent: rateLimit(organizationSubmissionsPerMinute, counters('organization content')),
    exchange: rateLimit(exchangesPerMinute, counters('exchange')),
  };
}

export interface ContentDeps extends ConnectionDeps {
  /** Normalized pictures, by digest. */
  readonly files: DurableFolder;
  readonly limits: IntegrationLimits;
  normalizeImage(image: FileContent, queuePlace: QueuePlace): Promise<NormalizedImage>;
  /** Wakes the delivery line and the outbox; called after a commit that gave them work. */
  nudge(): void;
  describeDelivery(row: DeliveryRow): Promise<DeliveryDescription>;
  readonly logger: Logger;
  readonly at?: Failpoint | undefined;
}
