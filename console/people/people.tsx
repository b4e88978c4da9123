/** The people of an organization: members, roles, invitations as links, and one's own API keys. */

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { Schemas } from '../../client/contract.ts';
import { type BodyOf, callApi } from '../ground/call-api.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { hrefOf } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { findSession, type MemberRole, mayManage, membership, organizationId } from '../ground/session.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { ChoiceField } from '../parts/choice-field.tsx';
import { confirmed } from '../parts/confirm.tsx';
import { CopyField } from '../parts/copy-field.tsx';
import { Field, Form } from '../parts/field.tsx';
import { act } from '../parts/messages.tsx';
import { EmptyState, Reading } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { ApiKeys } from './api-keys.tsx';
import { NewSignInLink } from './new-sign-in-link.tsx';

type UserAnswer = Schemas['User'];

const memberRoles: readonly MemberRole[] = ['admin', 'user', 'patient', 'onlyself'];

/** The people's page. */
export const People: Screen = () => {
  useTitle(t('nav.people'));
  const organization = organizationId.value;
  const users = useResource((signal) => callApi('GET /users/', { query: { organization }, signal }), [organization]);
  if (users.problem !== undefined || users.value === undefined) return <Reading of={users} />;
  return (
    <>
      <div class="heading">
        <h1>{t('nav.people')}</h1>
        <p class="note">{membership.value?.organization.name}</p>
      </div>
      <Card id="members" title={t('people.members')}>
        {users.value.length === 0 && <EmptyState title={t('people.none')} />}
        <ul class="rows">
          {users.value.map((user) => (
            <Member key={user.id} user={user} users={users} />
          ))}
        </ul>
      </Card>
      {mayManage.value && <Invite users={users} />}
      {mayManage.value && <Rename />}
      <ApiKeys />
    </>
  );
};

interface MemberProps {
  readonly user: UserAnswer;
  readonly users: Resource<readonly UserAnswer[]>;
}

const Member: ComponentType<MemberProps> = ({ user, users }) => {
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
      {user.inviteCode !== undefined && <CopyField label={t('people.link')} value={inviteLink(user.inviteCode)} />}
    </li>
  );
};

/** The link of an invitation. Its code stands behind the `#`, where no server sees it before it is used. */
const inviteLink = (code: string): string => `${hrefOf('')}#invite=${code}`;

const Manage: ComponentType<MemberProps> = ({ user, users }) => {
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

const Invite: ComponentType<{ readonly users: Resource<readonly UserAnswer[]> }> = ({ users }) => {
  const [email, role] = [useSignal(''), useSignal<MemberRole>('user')];
  const invite = async (): Promise<void> => {
    const body: BodyOf<'POST /users/'> = {
      organization: organizationId.value,
      email: email.value.trim(),
      role: role.value,
    };
    if (!(await act(() => callApi('POST /users/', { body }), t('people.inviteMade')))) return;
    email.value = '';
    await users.reload();
  };
  return (
    <Card id="invite" title={t('people.invite')} hint={t('people.inviteHint')}>
      <Form class="line-form" submit={invite}>
        <Field label={t('people.email')} type="email" value={email} required />
        <ChoiceField
          class="field narrow"
          label={t('people.role')}
          value={role}
          choices={memberRoles.map((name) => [name, tCode('role', name)])}
        />
        <button type="submit" class="primary">
          {t('people.inviteDo')}
        </button>
      </Form>
    </Card>
  );
};

const Rename: ComponentType = () => {
  const organization = membership.value?.organization;
  const name = useSignal(organization?.name ?? '');
  const rename = async (): Promise<void> => {
    const body: BodyOf<'PATCH /organizations/{organizationId}'> = {
      organization: organizationId.value,
      name: name.value.trim(),
    };
    const call = () =>
      callApi('PATCH /organizations/{organizationId}', { path: { organizationId: organizationId.value }, body });
    if (await act(call, t('people.renamed'))) await findSession();
  };
  return (
    <Card id="rename" title={t('people.organization')}>
      <Form class="line-form" submit={rename}>
        <Field label={t('people.organizationName')} value={name} maxLength={200} required />
        <button type="submit" disabled={name.value.trim() === '' || name.value === organization?.name}>
          {t('state.save')}
        </button>
      </Form>
    </Card>
  );
};
