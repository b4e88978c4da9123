/** The chosen frames and papers of a member whose role shows those alone: how many, and which, to be changed by a tick. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import { fleet } from '../ground/fleet.ts';
import { useResource } from '../ground/resource.ts';
import { organizationId } from '../ground/session.ts';
import { useVersion } from '../ground/versions.ts';
import { t } from '../ground/words.ts';
import { letSee } from '../parts/link-people.ts';
import { Reading } from '../parts/states.tsx';
import { ChooseThings } from './choose-things.tsx';

interface MemberLinksProps {
  readonly user: Schemas['User'];
  /** Whether it is read before anybody asks for it. */
  readonly isFew: boolean;
}

/** Draws them. */
export const MemberLinks = ({ user, isFew }: MemberLinksProps) => {
  const { id, name, role } = user;
  const isOpen = useSignal(false);
  const isRead = isFew || isOpen.value;
  const organization = organizationId.value;
  // A frame or paper that is removed takes its links along.
  const version = useVersion(
    ({ event, data }) =>
      (event === 'area' && data.area === 'people' && data.organization === organization) || data.what === 'removed',
    [organization],
  );
  const links = useResource(
    async (signal) => (isRead ? callApi('GET /users/{userId}/links', { path: { userId: id }, signal }) : undefined),
    [id, isRead, version],
  );
  const devices = new Set(links.value?.devices ?? []);
  const papers = new Set(role === 'patient' ? (links.value?.papers ?? []) : []);
  const isNothing = links.value !== undefined && devices.size + papers.size === 0;
  return (
    <details
      class="wide member-links"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>
        {t('people.whatSees', { name })} {isNothing && <span class="bad">{t('people.seesNothing')}</span>}
        {devices.size > 0 && <span class="note">{t('people.seesFrames', { count: devices.size })}</span>}{' '}
        {papers.size > 0 && <span class="note">{t('people.seesPapers', { count: papers.size })}</span>}
      </summary>
      {isOpen.value && links.value === undefined && <Reading of={links} />}
      {isOpen.value && links.value !== undefined && (
        <ChooseThings
          role={role}
          chosen={{ devices, papers }}
          choose={async (thing, sees) => {
            const isPatient = thing.kind === 'devices' && fleet.peek().get(thing.id)?.patient === id;
            await letSee({ id, name }, { ...thing, isPatient }, sees);
            await links.reload();
          }}
        />
      )}
    </details>
  );
};
