/** Who did what in the organization, with filters; older pages by a button. */

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { type AnswerOf, callApi, type QueryOf } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { query, setQuery } from '../ground/router.ts';
import { organizationId } from '../ground/session.ts';
import { t, tCode } from '../ground/words.ts';
import { act } from '../parts/messages.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
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
  'channel',
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
export const AuditLog: ComponentType = () => {
  const organization = organizationId.value;
  const filters = readFilters();
  const search = searchOf(filters);
  const asked = JSON.stringify(search);
  const path = { organizationId: organization };
  const page = useResource<AuditPageShown>(
    (signal) => callApi('GET /organizations/{organizationId}/audit/', { path, query: search, signal }),
    [organization, asked],
  );
  const older = useSignal<AuditPageShown | undefined>(undefined);
  useEffect(() => {
    older.value = undefined;
  }, [organization, asked, page.value]);
  const entries = [...(page.value?.entries ?? []), ...(older.value?.entries ?? [])];
  const next = older.value === undefined ? page.value?.next : older.value.next;
  const readOn = (): Promise<boolean> =>
    act(async () => {
      const found = await callApi('GET /organizations/{organizationId}/audit/', {
        path,
        query: { ...search, before: next ?? undefined },
      });
      older.value = { entries: [...(older.peek()?.entries ?? []), ...found.entries], next: found.next };
    });
  const isNarrowed = Object.values(filters).some((value) => value !== '');
  return (
    <section class="card" aria-labelledby="audit">
      <div class="card-head">
        <h2 id="audit">{t('audit.title')}</h2>
        <button type="button" onClick={() => void page.reload()}>
          {t('audit.reload')}
        </button>
      </div>
      <p class="note">{t('audit.hint')}</p>
      <AuditFilters filters={filters} isNarrowed={isNarrowed} />
      {page.problem !== undefined && <ProblemBox problem={page.problem} again={() => void page.reload()} />}
      {page.value === undefined && page.problem === undefined && <Loading />}
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
    </section>
  );
};

interface AuditFiltersProps {
  readonly filters: Filters;
  readonly isNarrowed: boolean;
}

const AuditFilters: ComponentType<AuditFiltersProps> = ({ filters, isNarrowed }) => {
  const organization = organizationId.value;
  const users = useResource((signal) => callApi('GET /users/', { query: { organization }, signal }), [organization]);
  const people = (users.value ?? []).map(({ id, name, email }) => [id, name || email || id] as const);
  return (
    <fieldset class="filters">
      <legend class="visually-hidden">{t('audit.filters')}</legend>
      <FilterChoice name="who" label={t('audit.who')} value={filters.who} choices={people} />
      <FilterChoice
        name="kind"
        label={t('audit.what')}
        value={filters.kind}
        choices={kinds.map((kind) => [kind, tCode('auditKind', kind)] as const)}
      />
      <FilterDay name="from" label={t('audit.from')} value={filters.from} />
      <FilterDay name="until" label={t('audit.until')} value={filters.until} />
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

interface FilterProps {
  readonly name: keyof Filters;
  readonly label: string;
  readonly value: string;
}

interface FilterChoiceProps extends FilterProps {
  readonly choices: readonly (readonly [value: string, word: string])[];
}

const FilterChoice: ComponentType<FilterChoiceProps> = ({ name, label, value, choices }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value || undefined })}>
        <option value="">{t('audit.all')}</option>
        {choices.map(([choice, word]) => (
          <option key={choice} value={choice} selected={choice === value}>
            {word}
          </option>
        ))}
      </select>
    </div>
  );
};

const FilterDay: ComponentType<FilterProps> = ({ name, label, value }) => {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={value}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value || undefined })}
      />
    </div>
  );
};
