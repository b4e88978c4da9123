/** The delivery status of a connection: its latest request and the frames it is to reach. */
import { z } from 'zod';
import type { Database } from '../../gateway/runtime/database.ts';
import type { DeliveryRow } from '../delivery/states.ts';
import type { ConnectionRow } from './connections.ts';
import type { IntegrationEdges } from './edges.ts';
import { latestRequest } from './requests.ts';

/** How far a delivery is proven, and since when. */
const evidenceSchema = z.object({
  level: z.string(),
  offeredAt: z.string().optional(),
  announcedAt: z.string().optional(),
  fetchedAt: z.string().optional(),
  shownAt: z.string().optional(),
  confirmedAt: z.string().optional(),
  missing: z.array(z.string()).optional(),
});

/** Spec: Status response, with what is known beyond it. Times are ISO 8601. */
export const statusSchema = z
  .object({
    paperId: z.string(),
    name: z.string(),
    state: z.enum(['empty', 'receiving', 'accepted', 'active', 'superseded', 'closed', 'revoked']),
    messageId: z.string().optional(),
    deliveries: z.array(
      z.object({
        deviceId: z.string(),
        frameName: z.string(),
        state: z.string(),
        since: z.string(),
        evidence: evidenceSchema.optional(),
        expectedAt: z.string().optional(),
        overdue: z.literal(true).optional(),
        reason: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'ConnectionStatus' });

export type ConnectionStatus = z.input<typeof statusSchema>;

/** Tells the state of the latest request of the connection's generation; `empty` when there is none (INV-58). */
export async function readStatus(
  edges: Pick<IntegrationEdges, 'db' | 'clock' | 'describeDelivery'>,
  connection: ConnectionRow,
): Promise<ConnectionStatus> {
  const { paper_id: paperId, name } = connection;
  const request = await latestRequest(edges.db, connection, edges.clock.now());
  if (request === undefined) return { paperId, name, state: 'empty', deliveries: [] };
  const rows = await latestAssignments(edges.db, request.id);
  const deliveries = await Promise.all(
    rows.map(async (row) => ({
      deviceId: row.device_id,
      frameName: row.frame_name,
      state: row.state,
      ...(await edges.describeDelivery(row)),
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
