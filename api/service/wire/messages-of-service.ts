/** How messages to people leave the service, by its settings: email, and the ways of alert channels. */
import { type Mail, openMail } from '../../alerts/mail.ts';
import { type SendDeps, sendMessage } from '../../alerts/send-message.ts';
import type { DeadlineDrainDeps } from '../../deadlines/drain-deadline-notices.ts';
import type { ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';
import type { Ways } from './ways-of-service.ts';

/** The ways of messages. */
export interface Messages {
  /** Undefined where the operator set up no mail. */
  readonly mail: Mail | undefined;
  readonly sending: SendDeps;
  readonly notices: Pick<DeadlineDrainDeps, 'send' | 'sendMail'>;
}

/** Opens the ways of messages. */
export function messagesOfService(settings: Settings, { clock, keys }: ServiceContext, ways: Ways): Messages {
  const { PAPERGATE_SMTP_URL: smtp, PAPERGATE_MAIL_FROM: from } = settings;
  const mail =
    smtp === undefined || from === undefined
      ? undefined
      : openMail({ url: smtp, from, clock, ownAddress: settings.PAPERGATE_PUBLIC_URL });
  const sending: SendDeps = { ...ways, clock, sealKey: keys.seal, mail };
  return {
    mail,
    sending,
    notices: {
      send: (channel, message, stopping) => sendMessage(sending, channel, message, stopping),
      sendMail:
        mail &&
        ((to, { title: subject, text, link, id }, stopping) =>
          mail.send({ to: [to], subject, text: `${text}\n\n${link}\n`, id }, stopping)),
    },
  };
}
