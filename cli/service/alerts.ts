/** `papergate alerts test`: whether the operator's receivers take messages, before they have to. */

import { randomBytes } from 'node:crypto';
import { answersOf, openMail, type SentOutcome } from '../../api/alerts/mail.ts';
import { channelOfOperator } from '../../api/alerts/operators-channels.ts';
import { type SendDeps, sendMessage } from '../../api/alerts/send-message.ts';
import { wordTest } from '../../api/alerts/word-message.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { withOwnNames } from '../../api/outgoing/own-names.ts';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { refuse } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock as clock } from '../../runtime/clock.ts';
import { systemRandom } from '../../runtime/random.ts';
import { printTable } from '../ground/print.ts';

const saidOf = (outcome: SentOutcome): string => wordsOf(answersOf(outcome));
const takenBy = (outcome: SentOutcome): string =>
  !outcome.ok ? 'no' : outcome.refused === undefined ? 'yes' : 'in part';

/**
 * Sends a test message to each receiver of `PAPERGATE_ALERTS_TO`, and prints the reply of each.
 * @throws Refusal where there is no receiver, or one of them did not take it
 */
export async function testAlerts(options: { json?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  const { PAPERGATE_ALERTS_TO: receivers, PAPERGATE_SMTP_URL: url, PAPERGATE_MAIL_FROM: from } = settings;
  if (receivers.length === 0) {
    throw refuse('bad-configuration', {
      message: 'PAPERGATE_ALERTS_TO: names nobody',
      hint: "set it to the receivers of the operator's alerts, for example ops@example.org (docs/alerts.md)",
    });
  }
  const way = openWayOut({
    network: withOwnNames(systemNetwork({ clock })),
    clock,
    userAgent: settings.PAPERGATE_USER_AGENT,
  });
  // Nothing is stored: only this process opens what is sealed here.
  const sealing = { clock, random: systemRandom(clock), sealKey: randomBytes(32) };
  const ownAddress = settings.PAPERGATE_PUBLIC_URL;
  const mail = url === undefined || from === undefined ? undefined : openMail({ url, from, clock, ownAddress });
  const ways = { wayOut: way, operatorsWay: way, home: noHomeNetworks, allowLoopback: false };
  const deps: SendDeps = { ...sealing, ...ways, mail };
  const publicUrl = settings.PAPERGATE_PUBLIC_URL ?? `http://127.0.0.1:${settings.PAPERGATE_HTTP_PORT}`;
  const message = wordTest(sealing.random.id(), { language: 'en', timeZone: 'UTC', publicUrl });
  const tried = await Promise.all(
    receivers.map(async (receiver, index) => {
      const outcome = await sendMessage(deps, channelOfOperator(sealing, receiver), message);
      return { receiver: index + 1, kind: receiver.kind, taken: takenBy(outcome), answer: saidOf(outcome) };
    }),
  );
  printTable(tried, ['receiver', 'kind', 'taken', 'answer'], options.json);
  const failed = tried.filter(({ taken }) => taken !== 'yes').map(({ receiver }) => receiver);
  if (failed.length > 0) {
    throw refuse('bad-configuration', {
      message: `PAPERGATE_ALERTS_TO: number ${failed.join(' and ')} did not accept a message`,
      hint: 'correct the address, its secret or token, or PAPERGATE_SMTP_URL',
    });
  }
}
