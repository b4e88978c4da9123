/** The callback as receivers read of it in the OpenAPI document. */
import type { Webhook } from '../http/description/describe-webhook.ts';
import { requestTimeoutMs } from '../outgoing/request-once.ts';
import { defaultUserAgent } from '../outgoing/who-asks.ts';
import { callbackEvent } from './callback-event.ts';
import { eventLifetimeMs, firstDelayMs } from './retry-schedule.ts';

const seconds = (ms: number): string => `${ms / 1000} seconds`;

const description = `Sent to the address that the integration's manifest gives in capabilities.contentPush.callbackPath, one
request for each event, over a connection of its own (HTTP/1.1).

Answer with any status from 200 to 299 once the event is stored. The body of the answer is not read. Any other status, a
redirect among them, a connection that breaks and ${seconds(requestTimeoutMs)} without a status line count as not delivered.

What was not delivered is sent again, byte for byte, until the event is ${eventLifetimeMs / 86_400_000} days old: after at most ${seconds(firstDelayMs)}, then
after waits that double up to an hour, each with up to 30 seconds more. An event that was delivered may be sent again after a
crash: repeats share their eventId. Events may arrive in any order.

Callbacks end with the connection: when it is revoked, when its owner leaves the organization and when the paper names
another integration.`;

export const callbackWebhook: Webhook = {
  name: 'contentCallback',
  tag: 'Integration content',
  summary: 'What became of pushed content, told to the integration',
  description,
  credential: {
    name: 'callbackToken',
    description: 'The callbackToken of the connection, as the exchange answered it',
  },
  headers: { 'user-agent': { type: 'string', examples: [defaultUserAgent] } },
  body: callbackEvent,
  answers: {
    '2XX': 'Delivered',
    default: 'Not delivered: the same event is sent again',
  },
};
