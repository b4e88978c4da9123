/** The variables of alerts: the operator's mail server, and where the operator is notified. */
import { z } from 'zod';
import { decodePart, loginMistake, parseUrl } from '../../runtime/read-address.ts';
import { type ChannelKind, type ChannelTarget, channelSecret } from './channels.ts';

export interface OperatorsReceiver {
  readonly kind: ChannelKind;
  readonly target: ChannelTarget;
  /** The secret of a webhook, or the token of ntfy. */
  readonly secret?: string;
}

const isAddress = (text: string): boolean => z.email().safeParse(text).success;

/** Reads one receiver; undefined when it is invalid. */
function readReceiver(written: string): OperatorsReceiver | undefined {
  if (isAddress(written)) return { kind: 'mail', target: { recipients: [written] } };
  const isNtfy = written.startsWith('ntfy+');
  const address = isNtfy ? written.slice('ntfy+'.length) : written;
  const url = /^https?:\/\//.test(address) ? parseUrl(address) : undefined;
  if (url === undefined || loginMistake(written) !== undefined) return undefined;
  const password = decodePart(url.password);
  if (url.username !== '' || password === undefined) return undefined;
  const secret = password === '' ? {} : { secret: password };
  url.password = '';
  if (!isNtfy) return { kind: 'webhook', target: { url: url.href }, ...secret };
  const [, path = '', topic = ''] = /^(.*\/)([-_A-Za-z0-9]{1,64})$/.exec(url.pathname) ?? [];
  if (topic === '') return undefined;
  return { kind: 'ntfy', target: { url: `${url.origin}${path}`, topic }, ...secret };
}

/** Receivers separated by commas. A wrong one is named by its number and not quoted: it may hold a secret. */
const receivers = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((written, index) => {
      const receiver = readReceiver(written.trim());
      if (receiver?.secret !== undefined && !channelSecret.test(receiver.secret)) {
        context.addIssue(`number ${index + 1} has a secret that is not of printable ASCII with 8 to 200 characters`);
        return [];
      }
      if (receiver !== undefined) return [receiver];
      const forms = 'ops@example.org, https://:secret@host/path, or ntfy+https://:token@host/topic';
      const mistake = loginMistake(written.trim());
      context.addIssue(
        `number ${index + 1}${mistake === undefined ? ` is not a receiver, such as ${forms}` : `: ${mistake}`}`,
      );
      return [];
    }),
  )
  .default([]);

const isMailServer = (url: URL | undefined): boolean =>
  url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== '';

/** A mail server. What is wrong is named and not quoted: it may hold a password. */
const smtpUrl = z.string().refine((text) => loginMistake(text) === undefined && isMailServer(parseUrl(text)), {
  error: ({ input }) =>
    loginMistake(String(input)) ??
    'is not the address of a mail server, such as smtps://user:password@mail.example.org:465',
});

export const alertVariables = {
  PAPERGATE_SMTP_URL: smtpUrl.optional(),
  PAPERGATE_MAIL_FROM: z
    .string()
    .refine(
      (text) => isAddress(/<([^<>]+)>$/.exec(text)?.[1] ?? text),
      'is not an address, such as papergate@example.org',
    )
    .optional(),
  PAPERGATE_ALERTS_TO: receivers,
} as const;

type AlertVariables = z.output<z.ZodObject<typeof alertVariables>>;

/** Says which variables do not fit together. */
export function checkAlerts(
  given: AlertVariables,
  wrong: (variable: keyof AlertVariables, message: string) => void,
): void {
  const { PAPERGATE_SMTP_URL: smtp, PAPERGATE_MAIL_FROM: from, PAPERGATE_ALERTS_TO: to } = given;
  if (smtp !== undefined && from === undefined) wrong('PAPERGATE_SMTP_URL', 'needs PAPERGATE_MAIL_FROM, the sender');
  if (smtp === undefined && from !== undefined) wrong('PAPERGATE_MAIL_FROM', 'belongs to PAPERGATE_SMTP_URL: set both');
  if (smtp === undefined && to.some(({ kind }) => kind === 'mail')) {
    wrong('PAPERGATE_ALERTS_TO', 'names a mail address: set PAPERGATE_SMTP_URL, the server that sends mail');
  }
}
