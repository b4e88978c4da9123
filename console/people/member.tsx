/** One member: who it is, their role and what can be done about them. */
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import type { Resource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import { type MemberRole, mayManage, membership } from '../ground/session.ts';
import { t, tCode } from '../ground/words.ts';
import { confirmed } from '../parts/forms/confirm.tsx';
import { CopyField } from '../parts/forms/copy-field.tsx';
import { act } from '../parts/messages.tsx';
import { ReachWarning } from '../parts/reach.tsx';
import { MemberLinks } from './member-links.tsx';
import { memberRoles, seesLinksAlone } from './member-roles.ts';
import { NewSignInLink } from './new-sign-in-link.tsx';

type UserAnswer = Schemas['User'];

interface ManageProps {
  readonly user: UserAnswer;
  readonly users: Resource<readonly UserAnswer[]>;
}

interface MemberProps extends ManageProps {
  /** Whether what members see is read before anybody asks for it. */
  readonly isFew: boolean;
}

/** Draws the row. */
export const Member = ({ user, users, isFew }: MemberProps) => {
  const isSelf = user.id === membership.value?.userId;
  return (
    <li>
      <span>
        <strong>{user.name}</strong>{' '}
        <span class="note">{user.email === user.name || user.email.endsWith('.invalid') ? '' : user.email}</span>
      </span>
      <span class="note">{isSelf ? t('people.you') : user.status === 'invited' ? t('people.invited') : ''}</span>
      {mayManage.value && !isSelf ? <Manage user={user} users={users} /> : <span>{tCode('role', user.role)}</span>}
      {mayManage.value && !isSelf && user.status === 'accepted' && <NewSignInLink userId={user.id} name={user.name} />}
      {user.inviteCode !== undefined && (
        <div class="wide">
          <ReachWarning address={inviteLink(user.inviteCode)} whom="people" />
          <CopyField label={t('people.link')} value={inviteLink(user.inviteCode)} />
        </div>
      )}
      {mayManage.value && seesLinksAlone(user.role) && <MemberLinks user={user} isFew={isFew} />}
    </li>
  );
};

/** The link of an invitation. Its code stands behind the `#`, where no server sees it before it is used. */
const inviteLink = (code: string): string => `${hrefOf('')}#invite=${code}`;

const Manage = ({ user, users }: ManageProps) => {
  const change = async (role: MemberRole): Promise<void> => {
    const before = user.role;
    const to = (wanted: MemberRole) =>
      callApi('PATCH /users/{userId}', { path: { userId: user.id }, body: { role: wanted } });
    await act(
      () => to(role),
      t('people.roleChanged', { name: user.name, role: tCode('role', role) }),
      async () => {
        await to(before);
        await users.reload();
      },
    );
    await users.reload();
  };
  const remove = async (): Promise<void> => {
    const question = {
      title: t('people.removeTitle', { name: user.name }),
      text: t('people.removeText'),
      yes: t('people.remove'),
    };
    if (!(await confirmed(question))) return;
    const done = await act(
      () => callApi('DELETE /users/{userId}', { path: { userId: user.id } }),
      t('people.removed', { name: user.name }),
    );
    if (done) await users.reload();
  };
  return (
    <>
      <select
        aria-label={t('people.roleOf', { name: user.name })}
        value={user.role}
        onChange={(event) => void change(event.currentTarget.value as MemberRole)}
      >
        {memberRoles.map((role) => (
          <option key={role} value={role}>
            {tCode('role', role)}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="danger"
        aria-label={t('people.removeTitle', { name: user.name })}
        onClick={() => void remove()}
      >
        {t('people.remove')}
      </button>
    </>
  );
};
