/** The people of an organization: what the person who looks may do, members, invitations as links, and one's own API keys. */

import { callApi } from '../ground/call-api.ts';
import { showsDetails } from '../ground/details.ts';
import { useResource } from '../ground/resource.ts';
import type { Screen } from '../ground/screen.ts';
import { mayManage, membership, organizationId } from '../ground/session.ts';
import { useAreaVersion } from '../ground/versions.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { EmptyState, Reading } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { ApiKeys } from './api-keys.tsx';
import { Invite } from './invite.tsx';
import { Member } from './member.tsx';
import { fewLinked, seesLinksAlone } from './member-roles.ts';
import { Rename } from './rename.tsx';

/** The people's page. */
export const People: Screen = () => {
  useTitle(t('nav.people'));
  const organization = organizationId.value;
  const version = useAreaVersion('people', organization);
  const users = useResource(
    (signal) => callApi('GET /users/', { query: { organization }, signal }),
    [organization, membership.value?.role, version],
  );
  if (users.value === undefined) return <Reading of={users} />;
  const isFew = users.value.filter(({ role }) => seesLinksAlone(role)).length <= fewLinked;
  return (
    <>
      <div class="heading">
        <h1>{t('nav.people')}</h1>
        <p class="note">{membership.value?.organization.name}</p>
      </div>
      {membership.value !== undefined && <p class="you-may">{tCode('people.youMay', membership.value.role)}</p>}
      <Card id="members" title={t('people.members')} of={users}>
        {users.value.length === 0 && <EmptyState title={t('people.none')} />}
        <ul class="rows">
          {users.value.map((user) => (
            <Member key={user.id} user={user} users={users} isFew={isFew} />
          ))}
        </ul>
      </Card>
      {mayManage.value && <Invite users={users} />}
      {mayManage.value && showsDetails.value && <Rename />}
      <ApiKeys />
    </>
  );
};
