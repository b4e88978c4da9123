/** The form of another group: which frames are in it, and what it gives to them. */
import { type Signal, useSignal } from '@preact/signals';
import { callApi } from '../../ground/call-api.ts';
import type { Resource } from '../../ground/resource.ts';
import { organizationId } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field, Form } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import { writeCommonSettings } from '../settings/common-settings.tsx';
import { type PlaceDraft, PlaceFields, writePlace } from '../settings/place-fields.tsx';
import { GiftFields, type GroupList, paperOfGift, useGift } from './group-gift.tsx';
import { rulesOfPace } from './pace-fields.tsx';

/** The choice of who is in a group. */
interface Match {
  readonly way: Signal<string>;
  readonly place: PlaceDraft;
  readonly tag: Signal<string>;
  /** Ids of other groups. */
  readonly inner: Signal<readonly string[]>;
}

const useMatch = (): Match => ({
  way: useSignal('place'),
  place: { building: useSignal(''), floor: useSignal(''), room: useSignal('') },
  tag: useSignal(''),
  inner: useSignal<readonly string[]>([]),
});

/** Returns who is in it, as the service reads it; undefined while nothing is named. */
function writeMatch({ way, place, tag, inner }: Match) {
  if (way.value === 'tag') return tag.value.trim() === '' ? undefined : { tag: tag.value.trim() };
  if (way.value === 'groups') return inner.value.length === 0 ? undefined : { groups: [...inner.value] };
  return writePlace(place) === null ? undefined : { place: writePlace(place) ?? {} };
}

const MatchFields = ({
  match: { way, place, tag, inner },
  all,
}: {
  readonly match: Match;
  readonly all: GroupList;
}) => (
  <>
    <ChoiceField
      label={t('groups.who')}
      value={way}
      choices={[
        ['place', t('groups.ofPlace')],
        ['tag', t('groups.ofTag')],
        ...(all.length === 0 ? [] : [['groups', t('groups.ofGroups')] as const]),
      ]}
    />
    {way.value === 'place' && <PlaceFields place={place} />}
    {way.value === 'tag' && <Field label={t('groups.tag')} value={tag} maxLength={40} />}
    {way.value === 'groups' &&
      all.map((group) => (
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
  </>
);

interface NewGroupProps {
  readonly all: Resource<GroupList>;
  readonly done: () => void;
}

/** Draws the form. */
export const NewGroup = ({ all, done }: NewGroupProps) => {
  const [name, match, gift] = [useSignal(''), useMatch(), useGift(null, {})];
  const [paper, settings, who] = [paperOfGift(gift), writeCommonSettings(gift.settings), writeMatch(match)];
  const hasSettings = Object.keys(settings).length > 0;
  const make = () =>
    act(async () => {
      const body = {
        name: name.value.trim(),
        ...who,
        ...(paper !== null && { paper }),
        ...(hasSettings && { settings }),
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
        <MatchFields match={match} all={all.value ?? []} />
        <GiftFields gift={gift} isGiving={paper !== null || hasSettings} />
        <div class="actions">
          <button type="submit" class="primary" disabled={name.value.trim() === '' || who === undefined}>
            {t('groups.make')}
          </button>
        </div>
      </Form>
    </section>
  );
};
