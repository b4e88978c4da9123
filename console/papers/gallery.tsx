/** The gallery of integrations: the entries of the catalogues that the operator of the service configured. */

import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { saidText } from '../ground/said.ts';
import { language, t } from '../ground/words.ts';
import { Field } from '../parts/forms/field.tsx';
import { foundByWords } from '../parts/found-by-words.ts';
import { Loading, ProblemBox } from '../parts/states.tsx';

type CataloguesShown = AnswerOf<'GET /v1/integration-papers/catalogues'>;

type Catalogue = CataloguesShown['catalogues'][number];
type Listed = Catalogue['integrations'][number];

/** The number of integrations from which on a field to search them is shown. */
const manyIntegrations = 9;

interface GalleryProps {
  /** The address that is chosen, empty for none. */
  readonly chosen: Signal<string>;
  readonly choose: (integration: Listed) => void;
  /** Receives the one that was chosen before this was drawn. */
  readonly found: (integration: Listed) => void;
}

/** Draws the catalogues; one that cannot be read says why, next to the others. */
export const Gallery = (props: GalleryProps) => {
  const { value, problem, reload } = useResource<CataloguesShown>(
    (signal) => callApi('GET /v1/integration-papers/catalogues', { signal }),
    [],
  );
  const wanted = useSignal('');
  useEffect(() => {
    const all = value?.catalogues.flatMap(({ integrations }) => integrations) ?? [];
    const before = all.find(({ configUrl }) => configUrl === props.chosen.peek());
    if (before !== undefined) props.found(before);
  }, [value]);
  if (problem !== undefined && value === undefined) return <ProblemBox problem={problem} again={() => void reload()} />;
  if (value === undefined) return <Loading />;
  const { catalogues } = value;
  if (catalogues.length === 0) return <p class="note">{t('gallery.none')}</p>;
  const count = catalogues.reduce((sum, { integrations }) => sum + integrations.length, 0);
  return (
    <div class="gallery">
      {count >= manyIntegrations && <Field label={t('gallery.search')} type="search" value={wanted} />}
      {catalogues.map((catalogue) => (
        <Shelf key={`${catalogue.from} ${catalogue.name}`} catalogue={catalogue} wanted={wanted.value} {...props} />
      ))}
      <p class="note">{t('gallery.hint')}</p>
    </div>
  );
};

const Shelf = ({
  catalogue: { name, from, problem, problems, integrations, leftOut, leftOutProblems, notes, notedProblems },
  wanted,
  chosen,
  choose,
}: GalleryProps & { readonly catalogue: Catalogue; readonly wanted: string }) => {
  const fitting = foundByWords(integrations, wanted, searchedText);
  return (
    <section aria-label={name}>
      <h2 dir="auto">{name}</h2>
      {problem !== undefined && (
        <p class="warn" role="alert">
          {t(integrations.length === 0 ? 'gallery.broken' : 'gallery.older', {
            from,
            reason: saidText(problems, problem),
          })}
        </p>
      )}
      {problem === undefined && fitting.length === 0 && (
        <p class="note">{t(integrations.length === 0 ? 'gallery.empty' : 'gallery.noneFits')}</p>
      )}
      {leftOut.length > 0 && (
        <p class="note">
          {t('gallery.leftOut', { count: leftOut.length, first: saidText(leftOutProblems[0], leftOut[0] ?? '') })}
        </p>
      )}
      {notes.length > 0 && (
        <p class="note">
          {t('gallery.notes', { count: notes.length, first: saidText(notedProblems[0], notes[0] ?? '') })}
        </p>
      )}
      <ul class="shelf">
        {fitting.map((listed) => (
          <li key={listed.configUrl}>
            <button
              type="button"
              class="listed"
              aria-pressed={chosen.value === listed.configUrl}
              onClick={() => choose(listed)}
            >
              {listed.picture !== undefined && <img src={listed.picture} alt="" width={48} height={48} />}
              <span>
                <strong dir="auto">{listed.name}</strong>
                {listed.description !== undefined && <span dir="auto">{listed.description}</span>}
                <span class="note">{aboutOf(listed)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};

const searchedText = ({ name, description = '', publisher = '' }: Listed): string =>
  `${name} ${description} ${publisher}`;

/** Lists its publisher, its host and its languages. */
function aboutOf({ publisher, configUrl, languages = [] }: Listed): string {
  const host = URL.canParse(configUrl) ? new URL(configUrl).host : configUrl;
  return [publisher, host, languages.map(nameOfLanguage).join(', ')].filter((part) => part).join(' · ');
}

function nameOfLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames([language.value], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
