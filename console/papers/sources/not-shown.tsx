/** The pictures of a source that the album does not show: how many, which, and why. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { t, tCode } from '../../ground/words.ts';
import type { AlbumSource } from './sources-book.ts';

type Named = Pick<Schemas['AlbumSourceWithNames'], 'leftOutNames' | 'failedPictures'>;

interface NotShownProps {
  readonly paperId: string;
  readonly source: AlbumSource;
}

/** Draws what is left out or could not be fetched; nothing where everything is shown. */
export const NotShown = ({ paperId, source }: NotShownProps) => {
  const { leftOut, failed } = source;
  const reasons = Object.entries(leftOut).filter(([, count]) => count > 0);
  const count = reasons.reduce((sum, [, some]) => sum + some, 0);
  const named = { paperId, source };
  return (
    <>
      {count > 0 && (
        <WithNames {...named} summary={t('sources.leftOut', { count })}>
          {({ leftOutNames }) =>
            reasons.map(([reason, some]) => (
              <li key={reason}>
                {t('sources.leftOutFor', { why: tCode('sources.leftOut', reason), count: some })}
                <Names names={leftOutNames[reason] ?? []} />
              </li>
            ))
          }
        </WithNames>
      )}
      {failed > 0 && (
        <WithNames {...named} summary={t('sources.failed', { count: failed })}>
          {({ failedPictures }) =>
            failedPictures.map(({ name, problem = '', problems }) => (
              <li key={name}>
                <span dir="auto">{name}</span> <span class="note">{saidText(problems, problem)}</span>
              </li>
            ))
          }
        </WithNames>
      )}
    </>
  );
};

type WithNamesProps = NotShownProps & {
  readonly summary: string;
  readonly children: (named: Named) => ComponentChildren;
};

const noNames: Named = { leftOutNames: {}, failedPictures: [] };

/** Draws lines that are opened by their summary; the names are read then. */
const WithNames = ({ summary, ...props }: WithNamesProps) => {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {isOpen.value && <ReadNames {...props} />}
    </details>
  );
};

const ReadNames = ({ paperId, source, children }: Omit<WithNamesProps, 'summary'>) => {
  const path = { paperId, sourceId: source.id };
  const read = useResource(
    (signal) => callApi('GET /papers/{paperId}/sources/{sourceId}', { path, signal }),
    [source.id, source.listedAt],
  );
  return <ul class="rows">{children(read.value ?? noNames)}</ul>;
};

const Names = ({ names }: { readonly names: readonly string[] }) =>
  names.length > 0 && (
    <p class="note" dir="auto">
      {names.join(', ')}
    </p>
  );
