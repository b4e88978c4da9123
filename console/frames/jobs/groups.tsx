/** Groups of frames: what each gives to its frames, and to those that join it later. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, type BodyOf, callApi } from '../../ground/call-api.ts';
import { followPapers, papers } from '../../ground/paper-book.ts';
import { type Resource, useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import type { Screen } from '../../ground/screen.ts';
import { mayWrite, organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { Field, Form } from '../../parts/forms/field.tsx';
import { paperChoices } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import { Icon } from '../../parts/icon.tsx';
import { act } from '../../parts/messages.tsx';
import { EmptyState, Reading } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { PlaceFields, writePlace } from '../settings/place-fields.tsx';
import { SleepField } from '../settings/sleep-field.tsx';
import { MayNotChangeFrames } from './jobs.tsx';

type GroupList = AnswerOf<'GET /organizations/{organizationId}/groups/'>;
type GroupShown = GroupList[number];
type GroupGift = Pick<BodyOf<'PATCH /organizations/{organizationId}/groups/{groupId}'>, 'paper' | 'settings'>;

const none = 'none';

/** Draws the page. */
export const Groups: Screen = () => {
  useTitle(t('groups.title'));
  useEffect(followPapers, []);
  const path = { organizationId: organizationId.value };
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
      <NewGroup all={groups} />
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
  const [paper, sleep] = [useSignal(group.paper ?? none), useSignal(String(given.sleepTime ?? ''))];
  const path = { organizationId: organizationId.value, groupId: group.id };
  const { sleepTime: _, ...others } = given;
  const settings = { ...others, ...(sleep.value !== '' && { sleepTime: sleep.value }) };
  const gift: GroupGift = {
    ...((group.paper ?? none) !== paper.value && { paper: paper.value === none ? null : paper.value }),
    ...(String(given.sleepTime ?? '') !== sleep.value && { settings }),
  };
  const give = () =>
    act(async () => {
      await callApi('PATCH /organizations/{organizationId}/groups/{groupId}', { path, body: gift });
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
        <GiftFields paper={paper} sleep={sleep} />
        <div class="actions">
          <button type="submit" class="primary" disabled={Object.keys(gift).length === 0}>
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

const GiftFields = ({ paper, sleep }: { readonly paper: { value: string }; readonly sleep: { value: string } }) => (
  <>
    <SearchChoice
      label={t('several.paper')}
      value={paper}
      choices={[{ value: none, word: t('several.asIs') }, ...paperChoices(papers.value.values())]}
    />
    <SleepField sleep={sleep} none={t('several.asIs')} />
  </>
);

const NewGroup = ({ all }: { readonly all: Resource<GroupList> }) => {
  const [name, way, tag] = [useSignal(''), useSignal('place'), useSignal('')];
  const [paper, sleep] = [useSignal(none), useSignal('')];
  const place = { building: useSignal(''), floor: useSignal(''), room: useSignal('') };
  const inner = useSignal<readonly string[]>([]);
  const hung = writePlace(place);
  const match =
    way.value === 'tag'
      ? tag.value.trim() !== '' && { tag: tag.value.trim() }
      : way.value === 'groups'
        ? inner.value.length > 0 && { groups: [...inner.value] }
        : hung !== null && { place: hung };
  const make = () =>
    act(async () => {
      if (match === false) return;
      const body = {
        name: name.value.trim(),
        ...match,
        ...(paper.value !== none && { paper: paper.value }),
        ...(sleep.value !== '' && { settings: { sleepTime: sleep.value } }),
      };
      await callApi('POST /organizations/{organizationId}/groups/', {
        path: { organizationId: organizationId.peek() },
        body,
      });
      name.value = '';
      await all.reload();
    }, t('groups.made'));
  return (
    <section class="card" aria-labelledby="new-group">
      <h2 id="new-group">{t('groups.new')}</h2>
      <Form class="form" submit={make}>
        <Field label={t('groups.name')} value={name} maxLength={80} />
        <ChoiceField
          label={t('groups.who')}
          value={way}
          choices={[
            ['place', t('groups.ofPlace')],
            ['tag', t('groups.ofTag')],
            ['groups', t('groups.ofGroups')],
          ]}
        />
        {way.value === 'place' && <PlaceFields place={place} />}
        {way.value === 'tag' && <Field label={t('groups.tag')} value={tag} maxLength={40} />}
        {way.value === 'groups' &&
          all.value?.map((group) => (
            <label key={group.id} class="check">
              <input
                type="checkbox"
                checked={inner.value.includes(group.id)}
                onChange={({ currentTarget: { checked } }) => {
                  const others = inner.value.filter((id) => id !== group.id);
                  inner.value = checked ? [...others, group.id] : others;
                }}
              />
              <span>{group.name}</span>
            </label>
          ))}
        <GiftFields paper={paper} sleep={sleep} />
        <div class="actions">
          <button type="submit" class="primary" disabled={name.value.trim() === '' || match === false}>
            {t('groups.make')}
          </button>
        </div>
      </Form>
    </section>
  );
};
