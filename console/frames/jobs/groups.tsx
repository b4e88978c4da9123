/** Groups of frames: what each gives to its frames, and to those that join it later. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type BodyOf, callApi } from '../../ground/call-api.ts';
import { followPapers } from '../../ground/paper-book.ts';
import { type Resource, useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import type { Screen } from '../../ground/screen.ts';
import { mayWrite, organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { Form } from '../../parts/forms/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { act } from '../../parts/messages.tsx';
import { EmptyState, Reading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { withoutCommonSettings, writeCommonSettings } from '../settings/common-settings.tsx';
import { GiftFields, type GroupList, paperOfGift, useGift } from './group-gift.tsx';
import { MayNotChangeFrames } from './jobs.tsx';
import { NewGroup } from './new-group.tsx';
import { rulesOfPace } from './pace-fields.tsx';

type GroupShown = GroupList[number];
type GroupGift = Pick<BodyOf<'PATCH /organizations/{organizationId}/groups/{groupId}'>, 'paper' | 'settings'>;

/** Draws the page. */
export const Groups: Screen = () => {
  useTitle(t('groups.title'));
  useEffect(followPapers, []);
  const path = { organizationId: organizationId.value };
  // The form of the next group begins empty.
  const made = useSignal(0);
  const groups = useResource<GroupList>(
    (signal) => callApi('GET /organizations/{organizationId}/groups/', { path, signal }),
    [path.organizationId],
  );
  if (!mayWrite.value) return <MayNotChangeFrames title={t('groups.title')} />;
  return (
    <>
      <a class="back" href={hrefOf('frames?view=table')}>
        <Icon name="back" />
        <span>{t('nav.frames')}</span>
      </a>
      <div class="heading">
        <h1>{t('groups.title')}</h1>
        <p class="note">{t('groups.hint')}</p>
      </div>
      <Reading of={groups} />
      {groups.value?.length === 0 && <EmptyState title={t('groups.none')} />}
      {groups.value?.map((group) => (
        <GroupCard key={`${group.id} ${group.changedAt}`} group={group} all={groups} />
      ))}
      <NewGroup
        key={made.value}
        all={groups}
        done={() => {
          made.value++;
        }}
      />
    </>
  );
};

function whoIsIn({ place, tag, groups }: GroupShown, all: GroupList): string {
  if (place !== null) return [place.building, place.floor, place.room].filter(Boolean).join(' › ');
  if (tag !== null) return t('groups.withTag', { tag });
  return (groups ?? []).flatMap((id) => all.find((group) => group.id === id)?.name ?? []).join(', ');
}

interface GroupCardProps {
  readonly group: GroupShown;
  readonly all: Resource<GroupList>;
}

const GroupCard = ({ group, all }: GroupCardProps) => {
  const given = group.settings ?? {};
  const gift = useGift(group.paper, given);
  const path = { organizationId: organizationId.value, groupId: group.id };
  const written = JSON.stringify(writeCommonSettings(gift.settings));
  // What is stored may be spelled otherwise than the form writes it, and is only given again when somebody changes it.
  const before = useRef(written).current;
  const paper = paperOfGift(gift);
  const change: GroupGift = {
    ...(group.paper !== paper && { paper }),
    ...(before !== written && { settings: { ...withoutCommonSettings(given), ...JSON.parse(written) } }),
  };
  const body = { ...change, ...rulesOfPace(gift.pace) };
  const give = () =>
    act(async () => {
      await callApi('PATCH /organizations/{organizationId}/groups/{groupId}', { path, body });
      await all.reload();
    }, t('groups.given'));
  const remove = async (): Promise<void> => {
    const asked = { title: group.name, text: t('groups.keeps'), yes: t('groups.remove') };
    if (!(await confirmed(asked))) return;
    await act(async () => {
      await callApi('DELETE /organizations/{organizationId}/groups/{groupId}', { path });
      await all.reload();
    });
  };
  return (
    <section class="card" aria-label={group.name}>
      <h2>{group.name}</h2>
      <p class="note">
        {whoIsIn(group, all.value ?? [])} · {t('frames.count', { count: group.frames })}
      </p>
      <Form class="form" submit={give}>
        <GiftFields gift={gift} isGiving={Object.keys(change).length > 0} />
        <div class="actions">
          <button type="submit" class="primary" disabled={Object.keys(change).length === 0}>
            {t('groups.give')}
          </button>
          <button type="button" onClick={() => void remove()}>
            {t('groups.remove')}
          </button>
        </div>
      </Form>
    </section>
  );
};
