/** Who did what in the organization, with filters; older pages by a button. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi, type QueryOf } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { query, setQuery } from '../ground/router.ts';
import { organizationId } from '../ground/session.ts';
import { useAreaVersion } from '../ground/versions.ts';
import { t, tCode } from '../ground/words.ts';
import { bound } from '../parts/bound.ts';
import { Card } from '../parts/card.tsx';
import { ChoiceField } from '../parts/forms/choice-field.tsx';
import { Field } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';
import { EmptyState, Reading } from '../parts/states.tsx';
import { AuditRow } from './audit-row.tsx';

type AuditPageShown = AnswerOf<'GET /organizations/{organizationId}/audit/'>;

const kinds = [
  'device',
  'paper',
  'picture',
  'user',
  'key',
  'session',
  'connection',
  'rollout',
  'job',
  'group',
  'channel',
  'deadline',
  'organization',
] as const;

/** The filters, which stand in the address: a list that was narrowed can be sent to somebody. */
const filterNames = ['who', 'kind', 'object', 'from', 'until'] as const;
type Filters = Readonly<Record<(typeof filterNames)[number], string>>;

const readFilters = (): Filters => {
  const given = (name: string): string => query.value.get(name) ?? '';
  return {
    who: given('who'),
    kind: given('kind'),
    object: given('object'),
    from: given('from'),
    until: given('until'),
  };
};

type AuditQuery = QueryOf<'GET /organizations/{organizationId}/audit/'>;

function searchOf({ who, kind, object, from, until }: Filters): AuditQuery {
  const search: AuditQuery = {};
  if (who !== '') search.userId = who;
  search.kind = kinds.find((one) => one === kind);
  if (object !== '') search.objectId = object;
  // Days are those of the person who looks; the last one is included.
  if (from !== '') search.from = new Date(`${from}T00:00`).toISOString();
  if (until !== '') search.until = new Date(new Date(`${until}T00:00`).getTime() + 86_400_000).toISOString();
  return search;
}

/** Draws the log. */
export const AuditLog = () => {
  const organization = organizationId.value;
  const filters = readFilters();
  const search = searchOf(filters);
  const asked = JSON.stringify(search);
  const path = { organizationId: organization };
  const version = useAreaVersion('audit', organization);
  const page = useResource<AuditPageShown>(
    (signal) => callApi('GET /organizations/{organizationId}/audit/', { path, query: search, signal }),
    [organization, asked, version],
  );
  const { entries, next, older } = useOlder(`${organization} ${asked}`, page.value);
  const readOn = (): Promise<boolean> =>
    act(async () => {
      const found = await callApi('GET /organizations/{organizationId}/audit/', {
        path,
        query: { ...search, before: next ?? undefined },
      });
      older.value = { entries: [...entries, ...found.entries], next: found.next };
    });
  const isNarrowed = Object.values(filters).some((value) => value !== '');
  return (
    <Card id="audit" title={t('audit.title')} hint={t('audit.hint')}>
      <AuditFilters filters={filters} isNarrowed={isNarrowed} />
      <Reading of={page} />
      {page.value !== undefined && entries.length === 0 && (
        <EmptyState title={t(isNarrowed ? 'audit.noneFound' : 'audit.none')}>
          {!isNarrowed && <p>{t('audit.noneYet')}</p>}
        </EmptyState>
      )}
      <ul class="rows audit" aria-busy={page.isLoading}>
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} />
        ))}
      </ul>
      {typeof next === 'string' && (
        <button type="button" onClick={() => void readOn()}>
          {t('audit.older')}
        </button>
      )}
    </Card>
  );
};

/**
 * Keeps what was read of older pages below the newest one, which is read again with each new entry. Where more came at once
 * than a page holds, the list begins again.
 */
function useOlder(asked: string, newest: AuditPageShown | undefined) {
  const older = useSignal<AuditPageShown | undefined>(undefined);
  useEffect(() => {
    older.value = undefined;
  }, [asked]);
  const top = newest?.entries ?? [];
  const ids = new Set(top.map(({ id }) => id));
  const kept = older.value?.entries ?? [];
  const isJoined = kept.some(({ id }) => ids.has(id));
  const below = isJoined ? kept.slice(kept.findLastIndex(({ id }) => ids.has(id)) + 1) : [];
  return { entries: [...top, ...below], next: isJoined ? older.value?.next : newest?.next, older };
}

const AuditFilters = ({ filters, isNarrowed }: { readonly filters: Filters; readonly isNarrowed: boolean }) => {
  const organization = organizationId.value;
  const version = useAreaVersion('people', organization);
  const users = useResource(
    (signal) => callApi('GET /users/', { query: { organization }, signal }),
    [organization, version],
  );
  const filterOf = (name: keyof Filters) => bound(filters[name], (value) => setQuery({ [name]: value || undefined }));
  const all = ['', t('audit.all')] as const;
  const kindWords = kinds.map((kind) => [kind, tCode('auditKind', kind)] as const);
  const people = (users.value ?? []).map(({ id, name, email }) => [id, name || email || id] as const);
  return (
    <fieldset class="filters">
      <legend class="visually-hidden">{t('audit.filters')}</legend>
      <ChoiceField label={t('audit.who')} value={filterOf('who')} choices={[all, ...people]} />
      <ChoiceField label={t('audit.what')} value={filterOf('kind')} choices={[all, ...kindWords]} />
      <Field label={t('audit.from')} type="date" value={filterOf('from')} />
      <Field label={t('audit.until')} type="date" value={filterOf('until')} />
      {isNarrowed && (
        <button
          type="button"
          onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        >
          {t('audit.everything')}
        </button>
      )}
    </fieldset>
  );
};
