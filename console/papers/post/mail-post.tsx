/** The mail of an album: its address, and the people who may send to it. */
import { useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import { fullTime } from '../../ground/times.ts';
import { t } from '../../ground/words.ts';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { CopyField } from '../../parts/forms/copy-field.tsx';
import { Field, Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { ShareButton } from '../../parts/share-button.tsx';
import { type AlbumPost, type PostProps, sentFacts } from './album-post.ts';

type MailSender = AlbumPost['senders'][number];

const nameOf = ({ name, address }: Pick<MailSender, 'name' | 'address'>): string => (name === '' ? address : name);

/** Draws the address; those who may send once there is one, or as long as anybody is invited. */
export const MailPost = (props: PostProps) => {
  const { mailbox, senders } = props.post;
  const address = mailbox?.address ?? null;
  return (
    <>
      <MailAddress {...props} address={address} />
      {(address !== null || senders.length > 0) && <MailSenders {...props} />}
      {address !== null && <InviteSender {...props} />}
    </>
  );
};

const MailAddress = ({ paperId, reload, address }: PostProps & { readonly address: string | null }) => {
  const path = { paperId };
  const make = async (done: string): Promise<void> => {
    await act(() => callApi('POST /papers/{paperId}/post/address', { path }), done);
    await reload();
  };
  if (address === null)
    return (
      <>
        <p>{t('post.noAddress')}</p>
        <div class="actions">
          <button type="button" class="primary" onClick={() => void make(t('post.addressMade'))}>
            {t('post.makeAddress')}
          </button>
        </div>
      </>
    );
  const replace = async (): Promise<void> => {
    const asked = { title: t('post.replaceTitle'), text: t('post.replaceText'), yes: t('post.replace') };
    if (await confirmed(asked)) await make(t('post.replaced'));
  };
  const end = async (): Promise<void> => {
    const asked = { title: t('post.endTitle'), text: t('post.endText'), yes: t('post.end') };
    if (!(await confirmed(asked))) return;
    await act(() => callApi('DELETE /papers/{paperId}/post/address', { path }), t('post.ended'));
    await reload();
  };
  return (
    <>
      <CopyField label={t('post.address')} value={address} />
      <p class="note">{t('post.addressHint')}</p>
      <div class="actions">
        <ShareButton label={t('guests.share')} title={t('guests.shareTitle')} text={t('post.shareText', { address })} />
        <button type="button" aria-label={t('post.replaceAddress')} onClick={() => void replace()}>
          {t('post.replace')}
        </button>
        <button type="button" class="danger" aria-label={t('post.endAddress')} onClick={() => void end()}>
          {t('post.end')}
        </button>
      </div>
    </>
  );
};

const MailSenders = ({ paperId, post: { senders }, reload }: PostProps) => {
  const remove = async (sender: MailSender): Promise<void> => {
    const name = nameOf(sender);
    const asked = { title: t('post.removeTitle', { name }), text: t('post.removeText'), yes: t('post.remove') };
    if (!(await confirmed(asked))) return;
    const path = { paperId, senderId: sender.id };
    await act(() => callApi('DELETE /papers/{paperId}/post/senders/{senderId}', { path }), t('post.removed', { name }));
    await reload();
  };
  return (
    <>
      <p>
        <strong>{t('post.senders')}</strong>
      </p>
      {senders.length === 0 && <p>{t('post.noSenders')}</p>}
      {senders.length > 0 && (
        <ul class="rows" aria-label={t('post.senders')}>
          {senders.map((sender) => (
            <li key={sender.id}>
              <span class="who">
                <strong dir="auto">{nameOf(sender)}</strong> {sender.name !== '' && <span>{sender.address}</span>}
                <span class="note" title={sender.lastAt === null ? undefined : fullTime(sender.lastAt)}>
                  {sentFacts(sender)}
                </span>
              </span>
              <button
                type="button"
                class="danger"
                aria-label={t('post.removeNamed', { name: nameOf(sender) })}
                onClick={() => void remove(sender)}
              >
                {t('post.remove')}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

const InviteSender = ({ paperId, reload }: PostProps) => {
  const [address, name] = [useSignal(''), useSignal('')];
  const invite = async (): Promise<void> => {
    const typed = { address: address.value.trim(), name: name.value.trim() };
    const body = { address: typed.address, ...(typed.name !== '' && { name: typed.name }) };
    const call = () => callApi('POST /papers/{paperId}/post/senders/', { path: { paperId }, body });
    const who = typed.name === '' ? typed.address : typed.name;
    if (!(await act(call, t('post.invited', { name: who })))) return;
    for (const field of [address, name]) field.value = '';
    await reload();
  };
  return (
    <Form class="paper-form" submit={invite}>
      <h3>{t('post.newSender')}</h3>
      <Field label={t('post.senderAddress')} value={address} type="email" maxLength={254} required />
      <Field label={t('post.senderName')} value={name} hint={t('post.senderNameHint')} maxLength={100} />
      <div class="actions">
        <button type="submit" disabled={address.value.trim() === ''}>
          {t('post.invite')}
        </button>
      </div>
    </Form>
  );
};
