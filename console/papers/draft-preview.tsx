/** The preview of a paper with the typed settings, drawn by the service for the panel of a frame. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, type BodyOf, callApi, type Problem, sessionsBegun } from '../ground/call-api.ts';
import { isDraftable, traitsOf } from '../ground/paper-kinds.ts';
import { asProblem } from '../ground/resource.ts';
import { saidText } from '../ground/said.ts';
import { t } from '../ground/words.ts';
import { PictureRemark } from '../parts/drafts/picture-remark.tsx';
import { problemText } from '../parts/states.tsx';
import { loginsFor } from './draft/login-places.ts';
import type { PaperDraft } from './draft/paper-draft.ts';
import { NoPicture } from './paper-picture.tsx';

/** The preview is drawn once nobody has typed for this long; pages of other people are requested less often. */
const restMs = 450;
const websiteRestMs = 1_200;
/** After this time a preview is requested again: while others of the organization are drawing, and once if it failed. */
const againMs = 3_000;

interface DraftPreviewProps {
  readonly draft: PaperDraft;
  readonly deviceId: string;
  /** False while something is missing that the picture needs. */
  readonly isWanted: boolean;
}

/** A kind that can be seen with settings that are not saved: one that is drawn from them, or the album that has pictures. */
type PreviewedKind = BodyOf<'POST /previews/paper'>['kind'];

/** Whether a paper of a kind can be seen before it is saved; an album has pictures once it was made. */
export const isPreviewed = (kind: string, id: string): kind is PreviewedKind =>
  isDraftable(kind) || (traitsOf(kind).isAlbum && id !== '');

interface Seen {
  readonly drawn?: AnswerOf<'POST /previews/paper'>;
  readonly problem?: Problem;
  readonly isDrawing: boolean;
}

/** Draws the preview; an older answer that comes late is dropped, and the last picture is seen as what it was until the next has come. */
export const DraftPreview = (props: DraftPreviewProps) => {
  const { drawn, problem, isDrawing } = useDrawn(props);
  const { kind } = props.draft.base.value;
  if (!props.isWanted) return <NoPicture kind={kind}>{t('preview.missing')}</NoPicture>;
  if (problem !== undefined && !isDrawing) return <NoPicture kind={kind}>{problemText(problem)}</NoPicture>;
  if (drawn === undefined) return <NoPicture kind={kind}>{t('preview.drawing')}</NoPicture>;
  const { png, width, height, problems, problem: words = '' } = drawn;
  if (png === undefined)
    return <NoPicture kind={kind}>{isDrawing ? t('preview.drawing') : saidText(problems, words)}</NoPicture>;
  return (
    <>
      <div
        class="picture"
        style={{ aspectRatio: `${width} / ${height}`, '--ratio': width / height }}
        aria-busy={isDrawing}
      >
        <img src={`data:image/png;base64,${png}`} alt={t('preview.alt')} width={width} height={height} />
        {isDrawing && (
          <p class="drawing" role="status">
            {t('preview.drawing')}
          </p>
        )}
      </div>
      {!isDrawing && <PictureRemark told={drawn} />}
    </>
  );
};

function useDrawn({ draft, deviceId, isWanted }: DraftPreviewProps): Seen {
  const seen = useSignal<Seen>({ isDrawing: false });
  const { id, kind } = draft.base.value;
  const asked = JSON.stringify([kind, draft.meta, draft.logins.value]);
  useEffect(() => {
    if (!isWanted || !isPreviewed(kind, id) || deviceId === '') {
      seen.value = { ...seen.peek(), isDrawing: false };
      return undefined;
    }
    const asking = new AbortController();
    const body = {
      deviceId,
      kind,
      meta: draft.meta,
      ...(id === '' ? { logins: loginsFor(draft.meta, draft.logins.peek()) } : { paperId: id }),
    };
    // From the first character on, the picture no longer matches what was typed.
    seen.value = { ...seen.peek(), isDrawing: true };
    let hasFailed = false;
    const drawAgain = (): void => {
      timer = setTimeout(() => void draw(), againMs);
    };
    const draw = async (): Promise<void> => {
      try {
        const drawn = await callApi('POST /previews/paper', { body, signal: asking.signal });
        if (asking.signal.aborted) return;
        seen.value = { drawn, isDrawing: false };
        if (drawn.png === undefined && !hasFailed) drawAgain();
        hasFailed = true;
      } catch (error) {
        if (asking.signal.aborted) return;
        const problem = asProblem(error);
        if (problem.status === 429) drawAgain();
        else seen.value = { problem, isDrawing: false };
      }
    };
    let timer = setTimeout(() => void draw(), kind === 'website' ? websiteRestMs : restMs);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [asked, deviceId, isWanted, sessionsBegun.value]);
  return seen.value;
}
