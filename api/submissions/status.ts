/** The delivery status of a connection: its latest request and the frames it is to reach. */

import { z } from 'zod';
import { grades } from '../../gateway/frames/grades.ts';
import { camelOf } from '../../runtime/database/camel-case.ts';
import type { Database } from '../../runtime/database/database.ts';
import { latestRequest } from '../delivery-state/requests.ts';
import { type DeliveryRow, deliveryStates, requestStates } from '../delivery-state/states.ts';
import { spelledReasons } from '../http/spelled-reasons.ts';
import type { ConnectionRow } from '../integration/connections.ts';
import type { ContentDeps } from './content-deps.ts';
import { deliveryLevels, deliveryProofs } from './describe-delivery.ts';

/** The evidence of a delivery, with its times. */
const evidenceSchema = z.object({
  level: z.enum(deliveryLevels),
  grade: z.enum(grades).optional().describe('what that is worth, on one scale for all frames'),
  offeredAt: z.string().optional(),
  announcedAt: z.string().optional(),
  fetchedAt: z.string().optional(),
  shownAt: z.string().optional(),
  confirmedAt: z.string().optional(),
  missing: z
    .array(z.enum(deliveryProofs))
    .describe(
      'Of a delivery that is prepared or unconfirmed; of one that is synced, while its proof is awaited again, as after a restore',
    )
    .optional(),
});

/** The status response of the spec, with more that is known. Times are ISO 8601. */
export const statusSchema = z
  .object({
    paperId: z.string(),
    name: z.string(),
    state: z.enum(['empty', ...requestStates]),
    messageId: z.string().optional(),
    deliveries: z.array(
      z.object({
        deviceId: z.string(),
        frameName: z.string(),
        state: z.enum(deliveryStates),
        since: z.string(),
        evidence: evidenceSchema.optional(),
        expectedAt: z.string().optional(),
        overdue: z.literal(true).optional(),
        reason: z.string().optional(),
        reasons: spelledReasons.optional(),
      }),
    ),
  })
  .meta({ id: 'ConnectionStatus' });

export type ConnectionStatus = z.input<typeof statusSchema>;

/** Returns the state of the latest request of the connection's generation; `empty` when there is none (INV-58). */
export async function readStatus(
  deps: Pick<ContentDeps, 'db' | 'clock' | 'describeDelivery'>,
  connection: ConnectionRow,
): Promise<ConnectionStatus> {
  const { paper_id: paperId, name } = connection;
  const request = await latestRequest(deps.db, connection, deps.clock.now());
  if (request === undefined) return { paperId, name, state: 'empty', deliveries: [] };
  const rows = await latestAssignments(deps.db, request.id);
  const deliveries = await Promise.all(
    rows.map(async (row) => ({
      ...camelOf(row, 'device_id', 'frame_name', 'state'),
      ...(await deps.describeDelivery(row)),
    })),
  );
  return { paperId, name, state: request.state, messageId: request.message_id, deliveries };
}

/** A frame that left and came back is shown by its latest assignment only (D-3). */
async function latestAssignments(db: Database, requestId: string): Promise<DeliveryRow[]> {
  const rows: DeliveryRow[] = await db<DeliveryRow>('deliveries')
    .where({ request_id: requestId })
    .orderBy(['assignment', 'created_at', 'id']);
  return [...new Map(rows.map((row) => [row.device_id, row])).values()];
}
