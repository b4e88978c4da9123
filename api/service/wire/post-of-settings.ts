/** The mailbox and the bot for pictures, by the settings of the service. */
import { anyHost } from '../../outgoing/reach-host.ts';
import { readMailboxAddress } from '../../picture-mail/mailbox-address.ts';
import type { PostSetUp } from '../../picture-post/run-post.ts';
import { addressOfMailbox } from '../settings/post-settings.ts';
import type { Settings } from '../settings/settings.ts';
import type { Messages } from './messages-of-service.ts';
import type { Ways } from './ways-of-service.ts';

/** Returns what the operator set up; the settings are known to be right. */
export function postOfSettings(
  settings: Settings,
  ways: Pick<Ways, 'wayOut' | 'operatorsWay' | 'home'>,
  { mail }: Pick<Messages, 'mail'>,
): PostSetUp {
  return { mailbox: mailboxOf(settings), bot: botOf(settings, ways), mail };
}

function mailboxOf(settings: Settings): PostSetUp['mailbox'] {
  const { PAPERGATE_PICTURE_MAILBOX: written, PAPERGATE_PICTURE_MAIL_SERVER: trusted } = settings;
  const at = written === undefined ? undefined : readMailboxAddress(written);
  const address = addressOfMailbox(settings);
  return at === undefined || 'code' in at || address === undefined ? undefined : { at, address, trusted };
}

function botOf(
  { PAPERGATE_PICTURE_BOT: token, PAPERGATE_PICTURE_BOT_SERVER: server }: Settings,
  { wayOut, operatorsWay, home }: Pick<Ways, 'wayOut' | 'operatorsWay' | 'home'>,
): PostSetUp['bot'] {
  if (token === undefined) return undefined;
  if (server === undefined) return { token, follow: { wayOut, home } };
  // The operator chose this server, which may be inside the network.
  const chosen = { ...home, watch: () => ({ rule: anyHost, isHome: () => true }) };
  return { token, server: new URL(server), follow: { wayOut: operatorsWay, home: chosen } };
}
