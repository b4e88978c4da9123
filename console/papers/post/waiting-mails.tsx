/** The mails that wait for a yes: who sent them, why they wait, and the decision. */
import { type BodyOf, callApi } from '../../ground/call-api.ts';
import { saidText } from '../../ground/said.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { act } from '../../parts/messages.tsx';
import type { AlbumPost, PostProps } from './album-post.ts';

type WaitingMail = AlbumPost['waiting'][number];

/** Draws them; nothing while none waits. */
export const WaitingMails = ({ paperId, post: { waiting, senders }, reload }: PostProps) => {
  if (waiting.length === 0) return null;
  const invited = new Set(senders.map(({ address }) => address));
  return (
    <Card
      id="waiting-mails"
      class="sharing"
      title={t('post.waiting', { count: waiting.length })}
      hint={t('post.waitingHint')}
    >
      <ul class="rows">
        {waiting.map((mail) => (
          <WaitingRow
            key={mail.id}
            mail={mail}
            isInvited={invited.has(mail.sender)}
            decide={async (body, done) => {
              const path = { paperId, mailId: mail.id };
              await act(() => callApi('POST /papers/{paperId}/post/waiting/{mailId}', { path, body }), done);
              await reload();
            }}
          />
        ))}
      </ul>
    </Card>
  );
};

interface WaitingRowProps {
  readonly mail: WaitingMail;
  readonly isInvited: boolean;
  readonly decide: (body: BodyOf<'POST /papers/{paperId}/post/waiting/{mailId}'>, done: string) => Promise<void>;
}

const WaitingRow = ({ mail, isInvited, decide }: WaitingRowProps) => {
  const { sender, subject, files, arrivedAt, problem, problems } = mail;
  const refuse = async (): Promise<void> => {
    const asked = { title: t('post.refuseTitle', { sender }), text: t('post.refuseText'), yes: t('post.refuse') };
    if (await confirmed(asked)) await decide({ accept: false }, t('post.refused', { sender }));
  };
  return (
    <li>
      <div class="who">
        <p>
          <strong>{sender}</strong>
        </p>
        <p dir="auto">{subject === '' ? t('post.noSubject') : subject}</p>
        <p class="note" title={fullTime(arrivedAt)}>
          {t('post.files', { count: files })} · {clockTime(arrivedAt)}
        </p>
        <p>{saidText(problems, problem)}</p>
      </div>
      <div class="actions">
        <button
          type="button"
          class="primary"
          aria-label={t('post.acceptNamed', { sender })}
          onClick={() => void decide({ accept: true }, t('post.accepted', { sender }))}
        >
          {t('post.accept')}
        </button>
        {!isInvited && (
          <button
            type="button"
            aria-label={t('post.inviteNamed', { sender })}
            onClick={() => void decide({ accept: true, invite: true }, t('post.acceptedInvited', { sender }))}
          >
            {t('post.acceptInvite')}
          </button>
        )}
        <button
          type="button"
          class="danger"
          aria-label={t('post.refuseTitle', { sender })}
          onClick={() => void refuse()}
        >
          {t('post.refuse')}
        </button>
      </div>
    </li>
  );
};
