/** One entry of who did what, as a sentence. */

import type { AnswerOf } from '../ground/call-api.ts';
import { kindName } from '../ground/paper-kinds.ts';
import { hrefOf, setQuery } from '../ground/router.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';

type AuditPageShown = AnswerOf<'GET /organizations/{organizationId}/audit/'>;

type Entry = AuditPageShown['entries'][number];

/** Screens of objects; one that was removed says so there. */
const placeOf = ({ kind, id }: Entry['object']): string | undefined =>
  id === null ? undefined : kind === 'device' ? `frames/${id}` : kind === 'paper' ? `papers/${id}` : undefined;

/** Draws the entry. */
export const AuditRow = ({ entry }: { readonly entry: Entry }) => {
  const { who, action, object, at, address } = entry;
  const name = object.name === '' ? t('frame.noName') : object.name;
  const place = placeOf(object);
  const values = valuesInWords(entry);
  return (
    <li>
      <span>
        <strong>{whoInWords(who)}</strong> {tCode('audit', action, { object: shortName(name) })}
      </span>
      {values !== '' && <span class="note wide">{values}</span>}
      <span class="note">
        <time dateTime={at} title={fullTime(at)}>
          {clockTime(at)}
        </time>
        {' · '}
        {provedInWords(who)}
        {address !== '' && ` · ${address}`}
      </span>
      {place !== undefined && !action.endsWith('.removed') && (
        <a href={hrefOf(place)} aria-label={t('audit.openThis', { object: name })}>
          {t('audit.open')}
        </a>
      )}
      {object.id !== null && object.kind !== 'session' && (
        <button
          type="button"
          class="plain"
          aria-label={t('audit.onlyThisNamed', { object: name })}
          onClick={() => setQuery({ object: object.id ?? undefined })}
        >
          {t('audit.onlyThis')}
        </button>
      )}
    </li>
  );
};

const maxNameCharacters = 60;

/** Shortens a long name: in some languages the action stands behind it, and must not be cut off. */
const shortName = (name: string): string =>
  name.length > maxNameCharacters ? `${Array.from(name).slice(0, maxNameCharacters).join('')}…` : name;

const whoInWords = ({ name, by }: Entry['who']): string =>
  name !== '' ? name : t(by === 'unproved' ? 'audit.somebody' : 'audit.noName');

function provedInWords({ by, key }: Entry['who']): string {
  return key !== null ? t('audit.byKey', { name: key.name }) : tCode('auditBy', by);
}

/** The new values. Ids, which are for programs, are only mentioned as given. */
function valuesInWords({ values }: Entry): string {
  return Object.entries(values)
    .filter(([name]) => !alwaysGiven.has(name))
    .map(([name, value]) => `${tCode('auditValue', name)}: ${valueInWords(name, value)}`)
    .join(' · ');
}

const alwaysGiven: ReadonlySet<string> = new Set(['organization', 'paperId', 'deviceId']);

function valueInWords(name: string, value: string | number | boolean | null): string {
  if (value === null) return t('audit.cleared');
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no');
  if (/^[0-9a-f]{24}$/.test(String(value))) return t('audit.chosen');
  if (name === 'by') return tCode('auditWay', String(value));
  if (name === 'kind') return kindName(String(value));
  if (name === 'meta.orientation') return tCode('settings', String(value));
  if (name === 'state') return tCode('commandState', String(value));
  return name === 'role' ? tCode('role', String(value)) : String(value);
}
