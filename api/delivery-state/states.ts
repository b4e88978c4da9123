/** The states of requests and deliveries, and the only transitions between them. */

import type { RowIn } from '../../runtime/database/table.ts';
import type { FrameState } from '../callbacks/callback-event.ts';
import type { deliveryTables } from './tables.ts';

/** States of a request. A request that is `receiving` was not acknowledged yet. */
export const requestStates = ['receiving', 'accepted', 'active', 'superseded', 'closed', 'revoked'] as const;
export type RequestState = (typeof requestStates)[number];

export type DeliveryState = 'pending' | FrameState;

/** The states that a delivery may move to, by its present state. A state without any is terminal. */
export const deliveryTransitions: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: ['prepared', 'failed', 'superseded', 'inactive', 'unconfirmed'],
  prepared: ['synced', 'superseded', 'inactive', 'unconfirmed'],
  synced: [],
  superseded: [],
  inactive: [],
  failed: [],
  unconfirmed: [],
};

export const deliveryStates = Object.keys(deliveryTransitions) as DeliveryState[];

/** States in which a delivery can still change. */
export const openDeliveryStates: readonly DeliveryState[] = deliveryStates.filter(
  (state) => deliveryTransitions[state].length > 0,
);

/** States to which the line itself brings a delivery: they are counted. People bring about the others. */
export const countedStates = ['prepared', 'synced', 'failed', 'unconfirmed'] as const satisfies readonly FrameState[];

/** Frames assigned within this time after acceptance receive the content with a receipt. */
export const observationWindowMs = 48 * 3_600_000;

/** Time for which a request and its deliveries are known, exactly, whenever their rows are cleared away (INV-13). */
export const requestLifetimeMs = 30 * 86_400_000;

/** Attempts to render and upload before a delivery fails. */
export const attemptsBeforeFailure = 4;
/** Waits between attempts, so that a page has a chance to recover. */
export const retryMs = [2_000, 10_000, 30_000] as const;

/** A row of `content_requests`, as the line reads it. */
export interface OpenRequest {
  id: string;
  connection_id: string;
  generation: number;
  paper_id: string;
  message_id: string;
  state: RequestState;
  sequence: number;
  accepted_at: number;
  updated_at: number;
  due_at: number | null;
}

/** A row of `deliveries`. */
export type DeliveryRow = RowIn<typeof deliveryTables, 'deliveries', { state: DeliveryState }>;
