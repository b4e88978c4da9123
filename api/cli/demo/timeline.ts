/** The road of one message, printed: when it was accepted, and when each frame reached each stage. */
import type { ReceivedCallback } from './integration.ts';

/** A message that was pushed. Times are epoch milliseconds. */
export interface PushedMessage {
  readonly requestId: string;
  readonly messageId: string;
  readonly text: string;
  readonly submittedAt: number;
  readonly acceptedAt: number;
  syncedAt: number;
}

/** A delivery as the status endpoint tells it. */
export interface DeliveryStatus {
  readonly frameName: string;
  readonly state: string;
  readonly reason?: string;
  readonly evidence?: {
    readonly offeredAt: string;
    readonly announcedAt?: string;
    readonly fetchedAt?: string;
    readonly shownAt?: string;
    readonly missing?: readonly string[];
  };
}

/** The status endpoint's answer. */
export interface StatusAnswer {
  readonly state: string;
  readonly messageId?: string;
  readonly deliveries: readonly DeliveryStatus[];
}

/** Prints one message's road, in seconds since its submission. */
export function printTimeline(
  message: PushedMessage,
  deliveries: readonly DeliveryStatus[],
  callbacks: readonly ReceivedCallback[],
): void {
  const since = (at: number | string | undefined): string => {
    if (at === undefined) return '-';
    const ms = (typeof at === 'string' ? Date.parse(at) : at) - message.submittedAt;
    return `${(ms / 1000).toFixed(2)} s`;
  };
  const own = callbacks.filter(({ body }) => body.requestId === message.requestId);
  const told = (state: string, frame?: string) =>
    own.find(({ body }) => body.state === state && body.frameName === frame)?.receivedAt;
  const columns = ['', 'prepared', 'announced', 'fetched', 'shown', 'told synced'];
  const rows = deliveries.map(({ frameName, evidence }) => [
    frameName,
    since(evidence?.offeredAt),
    since(evidence?.announcedAt),
    since(evidence?.fetchedAt),
    since(evidence?.shownAt),
    since(told('synced', frameName)),
  ]);
  const print = (cells: readonly string[]) =>
    process.stdout.write(`  ${cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(12))).join('')}\n`);
  process.stdout.write(`\n${message.messageId}: accepted after ${since(message.acceptedAt)}, `);
  process.stdout.write(`callback "available" after ${since(told('available'))}\n`);
  print(columns);
  for (const row of rows) print(row);
}
