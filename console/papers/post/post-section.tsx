/** Pictures that people without an account mail, or send by Telegram: who may, and how mailbox and bot are. */

import type { Resource } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { mayManage } from '../../ground/session.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import type { AlbumPost, PostProps } from './album-post.ts';
import { BotPost } from './bot-post.tsx';
import { MailPost } from './mail-post.tsx';

/** Draws the section. */
export const PostSection = ({
  paperId,
  read,
}: {
  readonly paperId: string;
  readonly read: Resource<AlbumPost | undefined>;
}) => (
  <Card id="paper-post" title={t('post.title')} class="sharing" hint={t('post.intro')} of={read}>
    {read.value !== undefined && <Ways paperId={paperId} post={read.value} reload={read.reload} />}
  </Card>
);

const Ways = (props: PostProps) => {
  const { mailbox, bot, senders, chats } = props.post;
  if (mailbox === null && bot === null && senders.length === 0 && chats.length === 0) {
    return <p>{t(mayManage.value ? 'post.noneForAdmins' : 'post.none')}</p>;
  }
  return (
    <>
      <h3>{t('post.mail')}</h3>
      {mailbox === null ? (
        <p>{t(mayManage.value ? 'post.noMailboxForAdmins' : 'post.noMailbox')}</p>
      ) : (
        <WayState way="mailbox" of={mailbox} />
      )}
      {mailbox !== null && <MailPost {...props} />}
      <h3>{t('post.telegram')}</h3>
      {bot === null ? (
        <p>{t(mayManage.value ? 'post.noBotForAdmins' : 'post.noBot')}</p>
      ) : (
        <WayState way="bot" of={bot} />
      )}
      {bot !== null && <BotPost {...props} />}
    </>
  );
};

type Way = NonNullable<AlbumPost['mailbox'] | AlbumPost['bot']>;

/** How a way is while it does not work: since when, what becomes of what is sent meanwhile, and why. */
const WayState = ({
  way,
  of: { state, since, problem, problems },
}: {
  readonly way: 'mailbox' | 'bot';
  readonly of: Way;
}) => {
  if (state === 'connected') return null;
  if (state === 'starting') return <p class="note">{t(`post.${way}.starting`)}</p>;
  const key =
    state === 'away' ? (`post.${way}.away` as const) : way === 'bot' ? 'post.bot.stopped' : 'post.mailbox.denied';
  return (
    <p class="warn" role="status" title={since === null ? undefined : fullTime(since)}>
      {t(key, { time: since === null ? '' : clockTime(since) })}{' '}
      {problem !== undefined && (mayManage.value || state === 'stopped') && saidText(problems, problem)}
    </p>
  );
};
