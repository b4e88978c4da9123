/** Prints the road of one message: when it was accepted, and when each frame reached each stage. */

import type { Schemas } from '../../client/contract.ts';
import { printLine, printText } from '../ground/print.ts';
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

/** A delivery as the status endpoint reports it. */
export type DeliveryStatus = Schemas['ConnectionStatus']['deliveries'][number];

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
  const reportedAt = (state: string, frame?: string) =>
    own.find(({ body }) => body.state === state && body.frameName === frame)?.receivedAt;
  const columns = ['', 'prepared', 'announced', 'fetched', 'shown', 'told synced'];
  const rows = deliveries.map(({ frameName, evidence }) => [
    frameName,
    since(evidence?.offeredAt),
    since(evidence?.announcedAt),
    since(evidence?.fetchedAt),
    since(evidence?.shownAt),
    since(reportedAt('synced', frameName)),
  ]);
  const print = (cells: readonly string[]) =>
    printLine(`  ${cells.map((cell, at) => (at === 0 ? cell.padEnd(10) : cell.padStart(12))).join('')}`);
  const accepted = `accepted after ${since(message.acceptedAt)}`;
  printText(`\n${message.messageId}: ${accepted}, callback "available" after ${since(reportedAt('available'))}`);
  print(columns);
  for (const row of rows) print(row);
}
