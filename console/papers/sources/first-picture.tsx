/** How far the first picture is that came after a source was added. */
import { useEffect } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import { framesShowing, type Paper } from '../../ground/paper-book.ts';
import { useResource } from '../../ground/resource.ts';
import { clockTime } from '../../ground/times.ts';
import { usePaperVersion } from '../../ground/versions.ts';
import { t } from '../../ground/words.ts';
import type { AlbumSource } from './sources-book.ts';

const againMs = 2_000;

interface FirstPictureProps {
  readonly paper: Paper;
  /** The source that was added. */
  readonly source: AlbumSource;
}

/** Draws the line, which is read aloud when it changes. */
export const FirstPicture = (props: FirstPictureProps) => {
  const { paper, source } = props;
  const path = { paperId: paper.id };
  const version = usePaperVersion(paper.id);
  const glasses = framesShowing(paper.id).map(({ glass, due }) => `${glass?.uploadId} ${due?.uploadId}`);
  const read = useResource(
    (signal) => callApi('GET /papers/{paperId}/pictures/', { path, signal }),
    [paper.id, paper.updatedAt, version, glasses.join()],
  );
  const came = (read.value ?? []).filter(({ sentAt }) => sentAt >= source.createdAt);
  const isAwaited = came.length === 0 && (source.state === 'new' || (source.state === 'ok' && source.pictures > 0));
  useEffect(() => {
    if (!isAwaited) return undefined;
    const timer = setInterval(() => void read.reload(), againMs);
    return () => clearInterval(timer);
  }, [isAwaited]);
  return (
    <p class="line" role="status">
      {lineOf(props, came)}
    </p>
  );
};

type Came = readonly { readonly state: string; readonly since: string | null }[];

function lineOf({ paper, source: { state, pictures } }: FirstPictureProps, came: Came): string {
  const [frame] = framesShowing(paper.id);
  const name = frame?.name || t('frame.noName');
  if (came.length === 0) {
    if (state === 'new') return t('sources.first.read');
    // What is wrong stands in the row of the source.
    if (state !== 'ok') return '';
    return t(pictures === 0 ? 'sources.first.none' : 'sources.first.fetched');
  }
  if (frame === undefined) return t('sources.first.noFrame');
  const onGlass = came.find(({ state }) => state === 'on-glass');
  if (onGlass !== undefined) return t('sources.first.onGlass', { name, time: clockTime(onGlass.since ?? '') });
  return frame.nextWakeAt === null
    ? t('sources.first.onItsWay', { name })
    : t('sources.first.nextWake', { name, time: clockTime(frame.nextWakeAt) });
}
