/** The states of requests and deliveries, and the only edges between them (INV-24, INV-25). */

export type RequestState = 'receiving' | 'accepted' | 'active' | 'superseded' | 'closed' | 'revoked';

export type DeliveryState = 'pending' | 'prepared' | 'synced' | 'superseded' | 'inactive' | 'failed' | 'unconfirmed';

/** From a delivery's state to those it may move to. What is missing here is terminal. */
export const deliveryEdges: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: ['prepared', 'failed', 'superseded', 'inactive', 'unconfirmed'],
  prepared: ['synced', 'superseded', 'inactive', 'unconfirmed'],
  synced: [],
  superseded: [],
  inactive: [],
  failed: [],
  unconfirmed: [],
};

/** States in which a delivery can still change. */
export const openDeliveryStates: readonly DeliveryState[] = ['pending', 'prepared'];

/** Frames assigned within this time after acceptance receive the content with a receipt. */
export const observationWindowMs = 48 * 3_600_000;

/** How long a request and its deliveries are known; to the millisecond, whenever their rows are cleared away (INV-13). */
export const requestLifetimeMs = 30 * 86_400_000;

/** Attempts to render and upload before a delivery fails. */
export const attemptsBeforeFailure = 4;

/** A row of `content_requests`, as the line reads it. */
export interface RequestRow {
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
export interface DeliveryRow {
  id: string;
  request_id: string;
  paper_id: string;
  device_id: string;
  serial: string;
  assignment: number;
  frame_name: string;
  state: DeliveryState;
  upload_id: string | null;
  attempts: number;
  reason: string | null;
  due_at: number | null;
  created_at: number;
  updated_at: number;
}
