/** The alerts of a service, by its settings: the watch, and what its routes need. */
import { shakeHands } from '../../../gateway/broker/shake-hands.ts';
import { wordsOf } from '../../../reasons/words.ts';
import type { Logger } from '../../../runtime/logger.ts';
import { type DrainDeps, drainNotices } from '../../alerts/drain-notices.ts';
import type { Mail } from '../../alerts/mail.ts';
import { setUpOperatorsChannels } from '../../alerts/operators-channels.ts';
import { refusedReceiver, sendMessage } from '../../alerts/send-message.ts';
import { watchOutages } from '../../alerts/watch-outages.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { rootsInMail } from '../../record/roots-in-mail.ts';
import type { AlertRouteDeps } from '../../routes/alerts/routes.ts';
import type { ServiceMeter } from '../../status/measures.ts';
import { freeBytesOf, type ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import type { Core } from './core.ts';
import type { Messages } from './messages-of-service.ts';

const handshakeMs = 4_000;

interface AlertsDeps {
  readonly logger: Logger;
  readonly meter: ServiceMeter;
  readonly core: Core;
  readonly messages: Messages;
  readonly publicUrl: () => string;
}

/** Puts the alerts together, with the way to their receivers; nothing runs before `watch.start`. */
export function alertsOfService(settings: Settings, context: ServiceContext, deps: AlertsDeps) {
  const { db, clock, random, keys, dataFolder, cluster } = context;
  const { logger, meter, core, publicUrl } = deps;
  const { mail, sending } = deps.messages;
  const { PAPERGATE_ALERTS_TO: named } = settings;
  const send: DrainDeps['send'] = (channel, message, stopping) => sendMessage(sending, channel, message, stopping);
  const sendNow: AlertRouteDeps['send'] = (channel, message) => sendMessage(sending, channel, message);
  const common = { db, clock, random, sealKey: keys.seal };
  const watch = watchOutages({
    ...common,
    logger,
    single: cluster.single,
    drain: drainNotices({
      ...common,
      logger,
      meter,
      send,
      publicUrl,
      alongside: (channel) => rootsInMail(db, channel),
    }),
    freeBytes: () => freeBytesOf(dataFolder),
    async certificateEnd() {
      const tls = core.gateway.broker()?.ports.tls;
      return tls === undefined ? undefined : shakeHands(settings.PAPERGATE_MQTT_HOST, tls, handshakeMs);
    },
    setUpChannels: () => setUpOperatorsChannels(db, common, named),
  });
  return {
    watch,
    receivers: {
      hasMail: mail !== undefined,
      refusedReceiver: (organizationId: string, address: string) => refusedReceiver(sending, organizationId, address),
      send: sendNow,
    },
    sendLinks: linkSender(mail, logger),
  };
}

/** Returns how emails with sign-in links go. The person does not learn of a failure, the operator does. */
function linkSender(mail: Mail | undefined, logger: Logger): DirectoryDeps['sendLinks'] {
  if (mail === undefined) return undefined;
  return async (letter) => {
    const sent = await mail.send(letter);
    if (!sent.ok) logger.warn({ reason: wordsOf(sent.problem) }, 'an email with a sign-in link was not accepted');
  };
}
