/** The Telegram chats of an album: a code admits one, and those that are admitted. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { CopyField } from '../../parts/forms/copy-field.tsx';
import { act } from '../../parts/messages.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { type AlbumPost, type PostProps, sentFacts } from './album-post.ts';

type Chat = AlbumPost['chats'][number];
type Code = AnswerOf<'POST /papers/{paperId}/post/codes/'>;

/** Draws the chats, and the code that was just made until a chat used it. */
export const BotPost = ({ paperId, post: { bot, chats }, reload }: PostProps) => {
  const made = useSignal<{ readonly code: Code; readonly before: readonly string[] } | undefined>(undefined);
  const make = (): Promise<boolean> =>
    act(async () => {
      const code = await callApi('POST /papers/{paperId}/post/codes/', { path: { paperId } });
      made.value = { code, before: chats.map(({ id }) => id) };
    });
  const admitted = made.value && chats.find(({ id }) => made.value?.before.includes(id) === false);
  const remove = async (chat: Chat): Promise<void> => {
    const title = titleOf(chat);
    const asked = { title: t('post.removeTitle', { name: title }), text: t('post.removeChat'), yes: t('post.remove') };
    if (!(await confirmed(asked))) return;
    const path = { paperId, chatId: chat.id };
    await act(
      () => callApi('DELETE /papers/{paperId}/post/chats/{chatId}', { path }),
      t('post.removed', { name: title }),
    );
    await reload();
  };
  return (
    <>
      {chats.length === 0 && <p>{t('post.noChats')}</p>}
      {chats.length > 0 && (
        <ul class="rows">
          {chats.map((chat) => (
            <ChatRow key={chat.id} chat={chat} remove={() => remove(chat)} />
          ))}
        </ul>
      )}
      {made.value !== undefined && admitted === undefined && (
        <MadeCode code={made.value.code} bot={bot?.name ?? null} />
      )}
      {admitted !== undefined && <p role="status">{t('post.admitted', { name: titleOf(admitted) })}</p>}
      <div class="actions">
        <button type="button" onClick={() => void make()}>
          {t('post.admit')}
        </button>
      </div>
    </>
  );
};

const titleOf = ({ title }: Chat): string => (title === '' ? t('post.chat') : title);

const ChatRow = ({ chat, remove }: { readonly chat: Chat; readonly remove: () => Promise<void> }) => (
  <li>
    <span class="who">
      <strong dir="auto">{titleOf(chat)}</strong> {chat.isGroup && <span>{t('post.group')}</span>}
      <span class="note" title={chat.lastAt === null ? undefined : fullTime(chat.lastAt)}>
        {sentFacts(chat)}
      </span>
    </span>
    <button
      type="button"
      class="danger"
      aria-label={t('post.removeNamed', { name: titleOf(chat) })}
      onClick={() => void remove()}
    >
      {t('post.remove')}
    </button>
  </li>
);

/** The code that was just made: as a link for a phone that stands next to this screen, and to be passed on. */
const MadeCode = ({ code: { code, until, link }, bot }: { readonly code: Code; readonly bot: string | null }) => (
  <div class="new-link" role="status">
    {link !== null && (
      <>
        <p>{t('post.scan')}</p>
        <QrCode url={link} label={t('post.qr')} />
        <CopyField label={t('post.link')} value={link} />
      </>
    )}
    <p>{bot === null ? t('post.writeCode') : t('post.writeCodeTo', { name: `@${bot}` })}</p>
    <CopyField label={t('post.code')} value={`/start ${code}`} />
    <p class="note" title={fullTime(until)}>
      {t('post.codeUntil', { time: clockTime(until) })}
    </p>
  </div>
);
