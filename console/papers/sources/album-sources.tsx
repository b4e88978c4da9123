/** The sources that fill an album: how each answers, what is done about it, and adding one. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Paper } from '../../ground/paper-book.ts';
import { useResource } from '../../ground/resource.ts';
import { usePaperVersion } from '../../ground/versions.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { AddSource } from './add-source.tsx';
import { FirstPicture } from './first-picture.tsx';
import { SourceRow } from './source-row.tsx';
import { type AlbumSource, readSources } from './sources-book.ts';

/** While a source is read for the first time it is looked at often; the service fills albums without a call of anybody. */
const soonMs = 2_000;
const lateMs = 60_000;

/** Draws the section. */
export const AlbumSources = ({ paper }: { readonly paper: Paper }) => {
  const { id, updatedAt } = paper;
  const version = usePaperVersion(id);
  const read = useResource((signal) => readSources(id, signal), [id, updatedAt, version]);
  const addedId = useSignal('');
  const sources = read.value ?? [];
  const added = sources.find((source) => source.id === addedId.value);
  const isNew = sources.some(({ state }) => state === 'new');
  useEffect(() => {
    const timer = setInterval(() => void read.reload(), isNew ? soonMs : lateMs);
    return () => clearInterval(timer);
  }, [id, isNew]);
  const noteAdded = async (source: AlbumSource): Promise<void> => {
    addedId.value = source.id;
    await read.reload();
  };
  return (
    <Card id="album-sources" title={t('sources.heading')} hint={t('sources.intro')} of={read} isQuiet>
      {added !== undefined && <FirstPicture key={added.id} paper={paper} source={added} />}
      {sources.length > 0 && (
        <ul class="rows">
          {sources.map((source) => (
            <SourceRow key={source.id} paperId={id} source={source} changed={read.reload} />
          ))}
        </ul>
      )}
      <AddSource paperId={id} added={noteAdded} />
    </Card>
  );
};
