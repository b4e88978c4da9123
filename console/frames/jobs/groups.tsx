/** Groups of frames: what each gives to its frames, and to those that join it later. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
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
import type { MetaFields } from '../settings/change-meta.ts';
import {
  type CommonSettings,
  CommonSettingsFields,
  useCommonSettings,
  withoutCommonSettings,
  writeCommonSettings,
} from '../settings/common-settings.tsx';
import { PlaceFields, writePlace } from '../settings/place-fields.tsx';
import { MayNotChangeFrames } from './jobs.tsx';
import { type Pace, PaceFields, rulesOfPace, usePace } from './pace-fields.tsx';

type GroupList = AnswerOf<'GET /organizations/{organizationId}/groups/'>;
type GroupShown = GroupList[number];
type GroupGift = Pick<BodyOf<'PATCH /organizations/{organizationId}/groups/{groupId}'>, 'paper' | 'settings'>;

const none = 'none';

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
  const paper = paperOf(gift);
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

/** The form of what a group gives. */
interface Gift {
  /** The id of the paper, or `none`. */
  readonly paper: Signal<string>;
  readonly settings: CommonSettings;
  readonly pace: Pace;
}

const useGift = (paper: string | null, given: MetaFields): Gift => ({
  paper: useSignal(paper ?? none),
  settings: useCommonSettings(given),
  pace: usePace(),
});

const paperOf = ({ paper }: Gift): string | null => (paper.value === none ? null : paper.value);

/** Draws it. How it goes out is asked only where something goes out. */
const GiftFields = ({ gift, isGiving }: { readonly gift: Gift; readonly isGiving: boolean }) => (
  <>
    <SearchChoice
      label={t('several.paper')}
      value={gift.paper}
      choices={[{ value: none, word: t('several.asIs') }, ...paperChoices(papers.value.values())]}
    />
    <CommonSettingsFields draft={gift.settings} />
    {isGiving && <PaceFields pace={gift.pace} />}
  </>
);

interface NewGroupProps {
  readonly all: Resource<GroupList>;
  readonly done: () => void;
}

const NewGroup = ({ all, done }: NewGroupProps) => {
  const [name, way, tag] = [useSignal(''), useSignal('place'), useSignal('')];
  const gift = useGift(null, {});
  const [paper, settings] = [paperOf(gift), writeCommonSettings(gift.settings)];
  const isGiving = paper !== null || Object.keys(settings).length > 0;
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
        ...(paper !== null && { paper }),
        ...(Object.keys(settings).length > 0 && { settings }),
        ...rulesOfPace(gift.pace),
      };
      await callApi('POST /organizations/{organizationId}/groups/', {
        path: { organizationId: organizationId.peek() },
        body,
      });
      await all.reload();
      done();
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
        <GiftFields gift={gift} isGiving={isGiving} />
        <div class="actions">
          <button type="submit" class="primary" disabled={name.value.trim() === '' || match === false}>
            {t('groups.make')}
          </button>
        </div>
      </Form>
    </section>
  );
};
