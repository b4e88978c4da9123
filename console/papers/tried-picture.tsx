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

/** Tries a website on the panel of its frame when it is asked for: that takes a while. */
function useTrial(draft: PaperDraft) {
  const trial = useSignal<Trial>({ isDrawing: false });
  const { id, kind, meta, deviceId } = draft.base.value;
  const panelOf = framesShowing(id)[0]?.id ?? deviceId;
  const typed = JSON.stringify({ ...meta, ...draft.changes.value });
  const wanted = useSignal('');
  const canBe = panelOf !== null && draft.text('url').trim() !== '';
  useEffect(() => {
    if (wanted.value === '' || panelOf === null || !canBe) return undefined;
    const asking = new AbortController();
    const body: Body = { deviceId: panelOf, kind: kind as Body['kind'], meta: JSON.parse(wanted.value), paperId: id };
    const put = (end: Omit<Trial, 'of' | 'isDrawing'>): void => {
      if (!asking.signal.aborted) trial.value = { ...end, of: typed, isDrawing: false };
    };
    const draw = (): void => {
      trial.value = { ...trial.peek(), isDrawing: true };
      callApi('POST /previews/paper', { body, signal: asking.signal }).then(
        (tried) => put({ tried }),
        (error: unknown) => put({ problem: asProblem(error) }),
      );
    };
    draw();
    return () => asking.abort();
  }, [wanted.value, panelOf, canBe]);
  const ask = (): void => {
    trial.value = { ...trial.peek(), isDrawing: true };
    // The same again is asked for by another text of the same meaning.
    wanted.value = wanted.peek() === typed ? `${typed} ` : typed;
  };
  return { ...trial.value, canBe, isOld: trial.value.of !== typed, ask };
}

/** Draws the picture; nothing without a frame. */
export const TriedPicture: ComponentType<TriedPictureProps> = ({ draft, isWrong = false }) => {
  const { canBe, tried, problem, isOld, isDrawing, ask } = useTrial(draft);
  if (!canBe) return null;
  return (
    <div class="tried" aria-busy={isDrawing}>
      <div class="actions">
        <button type="button" disabled={isDrawing || isWrong} onClick={ask}>
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
