/** The picture of a paper as it is typed, before it is saved, and what is to be known of it. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, type BodyOf, callApi, type Problem } from '../ground/call-api.ts';
import { framesShowing } from '../ground/paper-book.ts';
import { asProblem } from '../ground/resource.ts';
import { saidText } from '../ground/said.ts';
import { t } from '../ground/words.ts';
import { PictureRemark } from '../parts/drafts/picture-remark.tsx';
import { problemText } from '../parts/states.tsx';
import type { PaperDraft } from './paper-draft.ts';

type Tried = AnswerOf<'POST /previews/paper'>;
type Body = BodyOf<'POST /previews/paper'>;

/** A text is drawn when nobody has typed for this time. */
const restMs = 700;

interface TriedPictureProps {
  readonly draft: PaperDraft;
  /** It takes a while, so that it is drawn when somebody asks for it. */
  readonly isAsked?: boolean;
  /** What is typed cannot be drawn. */
  readonly isWrong?: boolean;
}

/** What a try has come to. */
interface Trial {
  readonly tried?: Tried;
  readonly problem?: Problem;
  /** What was drawn, as it was asked for. */
  readonly of?: string;
  readonly isDrawing: boolean;
}

/** Draws the picture on the panel of the paper's frame; nothing without one. */
export const TriedPicture: ComponentType<TriedPictureProps> = ({ draft, isAsked = false, isWrong = false }) => {
  const trial = useSignal<Trial>({ isDrawing: false });
  const { id, kind, meta, deviceId } = draft.base.value;
  const panelOf = framesShowing(id)[0]?.id ?? deviceId;
  const asked = JSON.stringify({ ...meta, ...draft.changes.value });
  const wanted = useSignal(isAsked ? '' : asked);
  if (!isAsked) wanted.value = asked;
  const isEmpty = kind === 'text' ? draft.text('text').trim() === '' : draft.text('url').trim() === '';
  useEffect(() => {
    if (wanted.value === '' || panelOf === null || isEmpty) return undefined;
    const asking = new AbortController();
    const body: Body = { deviceId: panelOf, kind: kind as Body['kind'], meta: JSON.parse(wanted.value), paperId: id };
    const timer = setTimeout(
      () => {
        trial.value = { ...trial.peek(), isDrawing: true };
        callApi('POST /previews/paper', { body, signal: asking.signal }).then(
          (tried) => {
            if (!asking.signal.aborted) trial.value = { tried, of: asked, isDrawing: false };
          },
          (error: unknown) => {
            if (!asking.signal.aborted) trial.value = { problem: asProblem(error), of: asked, isDrawing: false };
          },
        );
      },
      isAsked ? 0 : restMs,
    );
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [wanted.value, panelOf, isEmpty]);
  if (panelOf === null || isEmpty) return null;
  const { tried, problem, of, isDrawing } = trial.value;
  const isOld = tried !== undefined && of !== asked;
  return (
    <div class="tried" aria-busy={isDrawing}>
      {isAsked && (
        <div class="actions">
          <button
            type="button"
            disabled={isDrawing || isWrong}
            onClick={() => {
              trial.value = { ...trial.peek(), isDrawing: true };
              // The same again is asked for by another text of the same meaning.
              wanted.value = wanted.peek() === asked ? `${asked} ` : asked;
            }}
          >
            {t('papers.tryPage')}
          </button>
          <span class="note" role="status">
            {isDrawing ? t('papers.triesPage') : ''}
          </span>
        </div>
      )}
      {tried?.png !== undefined && (
        <img
          class={isOld ? 'tried-picture old' : 'tried-picture'}
          src={`data:image/png;base64,${tried.png}`}
          alt={t('papers.triedPicture')}
          width={tried.width}
          height={tried.height}
        />
      )}
      {tried !== undefined && <PictureRemark told={tried} />}
      {tried?.problem !== undefined && (
        <p class="warn" role="alert">
          {saidText(tried.problems, tried.problem)}
        </p>
      )}
      {problem !== undefined && <p class="warn">{problemText(problem)}</p>}
    </div>
  );
};
