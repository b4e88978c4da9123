/** The picture of a website as it is typed, before it is saved, and what is to be known of it. */
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

interface TriedPictureProps {
  readonly draft: PaperDraft;
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

/** Draws the picture on the panel of the paper's frame, when somebody asks for it; nothing without one. */
export const TriedPicture: ComponentType<TriedPictureProps> = ({ draft, isWrong = false }) => {
  const trial = useSignal<Trial>({ isDrawing: false });
  const { id, kind, meta, deviceId } = draft.base.value;
  const panelOf = framesShowing(id)[0]?.id ?? deviceId;
  const asked = JSON.stringify({ ...meta, ...draft.changes.value });
  const wanted = useSignal('');
  const isEmpty = draft.text('url').trim() === '';
  useEffect(() => {
    if (wanted.value === '' || panelOf === null || isEmpty) return undefined;
    const asking = new AbortController();
    const body: Body = { deviceId: panelOf, kind: kind as Body['kind'], meta: JSON.parse(wanted.value), paperId: id };
    const timer = setTimeout(() => {
      trial.value = { ...trial.peek(), isDrawing: true };
      callApi('POST /previews/paper', { body, signal: asking.signal }).then(
        (tried) => {
          if (!asking.signal.aborted) trial.value = { tried, of: asked, isDrawing: false };
        },
        (error: unknown) => {
          if (!asking.signal.aborted) trial.value = { problem: asProblem(error), of: asked, isDrawing: false };
        },
      );
    }, 0);
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
