/** The picture of a paper, and what stands in its place while there is none. */
import type { ComponentChildren } from 'preact';
import { pathOf } from '../ground/call-api.ts';
import type { LiveChange } from '../ground/live.ts';
import { framesShowing, type Paper, sizeOf } from '../ground/paper-book.ts';
import { traitsOf } from '../ground/paper-kinds.ts';
import { isOfPaper } from '../ground/versions.ts';
import { t } from '../ground/words.ts';
import { setUpLine } from '../parts/frame-words.ts';
import { Icon } from '../parts/icon.tsx';
import { ApiPicture } from '../parts/picture.tsx';

interface PaperPictureProps {
  readonly paper: Paper;
  /** As its panel shows it, or small. */
  readonly kind: '.png' | 'thumbnail.jpg';
  /** The content while there is no picture; unless given, a line that says what is missing. */
  readonly instead?: ComponentChildren;
}

/** Draws the picture. It is read again when the paper's picture changes. */
export const PaperPicture = ({ paper, kind, instead }: PaperPictureProps) => (
  <ApiPicture
    key={versionOf(paper)}
    path={pathOf('POST /papers/image/{paperId}', { paperId: paper.id }, { kind })}
    method="POST"
    alt={t('papers.pictureOf', { title: paper.title })}
    size={sizeOf(paper)}
    mayComeWith={(change) => isAbout(paper.id, change)}
    instead={instead ?? <NoPicture kind={paper.kind}>{missingOf(paper)}</NoPicture>}
  />
);

/** Changes when the paper's picture may have: an upload, a setting, or another picture for a frame. */
const versionOf = ({ id, imageUpdatedAt, updatedAt }: Paper): string => {
  const shown = framesShowing(id)[0];
  return [imageUpdatedAt, updatedAt, shown?.due?.uploadId ?? shown?.glass?.uploadId].join(' ');
};

/** Whether a change is about the paper or a frame that shows it: a picture is drawn some time after it is due. */
const isAbout = (paperId: string, change: LiveChange): boolean => {
  const { record, recordId } = change.data;
  if (record === 'device') return framesShowing(paperId).some(({ id }) => id === recordId);
  return isOfPaper(change, paperId) || (record === 'paper' && recordId === paperId);
};

/** In place of a picture: what kind of paper it is, and in words why there is none. */
export const NoPicture = ({ kind, children }: { readonly kind: string; readonly children: ComponentChildren }) => (
  <div class="no-picture">
    <Icon name={traitsOf(kind).icon} />
    <p>{children}</p>
  </div>
);

/** Words what a paper lacks or waits for before there is a picture. */
function missingOf({ kind, meta }: Paper): string {
  if (traitsOf(kind).takesPictures) return setUpLine(kind);
  if (kind === 'printer') return t('papers.unprinted');
  if (kind === 'plugin' && typeof meta.pluginConfigUrl !== 'string') return setUpLine(kind);
  return t('papers.undrawn');
}
