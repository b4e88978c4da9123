/** The picture as the panel will show it, from the service, with the intents side by side. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Problem } from '../ground/call-api.ts';
import { asProblem } from '../ground/resource.ts';
import { t } from '../ground/words.ts';
import { boundCrop } from '../parts/drafts/crop.ts';
import { cropFor, type Draft, type OfferedIntent, offeredIntents, setFromHere } from '../parts/drafts/drafts.ts';
import { previewPictureOf } from '../parts/drafts/draw-picture.ts';
import { pause } from '../parts/drafts/pause.ts';
import { PreviewFigure } from '../parts/drafts/preview-figure.tsx';
import { askPreviews, OtherSize, type Previews } from './ask-preview.ts';
import type { Target } from './targets.ts';

/** The other intents wait until the hand rests. */
const restMs = 600;
/** A hand that still moves asks for nothing. */
const handMs = 60;

interface Shown {
  readonly previews: Signal<Previews>;
  readonly isOld: Signal<boolean>;
  readonly problem: Signal<Problem | undefined>;
  /** Asks once more, for the same picture. */
  readonly again: () => void;
}

/** Keeps the previews in step with the crop. The answer to the last question wins. */
function usePreviews(draft: Draft, target: Target, wantsAll: boolean): Shown {
  const previews = useSignal<Previews>({});
  const isOld = useSignal(true);
  const problem = useSignal<Problem | undefined>(undefined);
  const attempt = useSignal(0);
  const { x, y, zoom, rotation } = boundCrop(draft.size, target.size, cropFor(draft, target.size));
  const crop = { x, y, zoom, rotation };
  const [caption, captionAt] = [draft.caption.value, draft.captionAt.value];
  const intent = draft.intent.value;
  const ask = async (intents: readonly OfferedIntent[], signal: AbortSignal): Promise<void> => {
    const picture = await previewPictureOf(draft, { panel: target.size, crop, caption, captionAt, signal });
    const made = await askPreviews(target, picture, intents, signal);
    if (signal.aborted) return;
    previews.value = isOld.peek() ? made : { ...previews.peek(), ...made };
    isOld.value = false;
    problem.value = undefined;
  };
  // Another choice among intents that are there already asks for nothing.
  const isThere = !isOld.value && previews.value[intent] !== undefined;
  useEffect(() => {
    isOld.value = true;
  }, [draft.key, target.id, ...target.size, x, y, zoom, rotation, caption, captionAt]);
  useEffect(() => {
    if (isThere) return undefined;
    const asking = new AbortController();
    const run = async (): Promise<void> => {
      await pause(handMs, asking.signal);
      await ask([intent], asking.signal);
    };
    run().catch((error: unknown) => {
      // The right size is known by now, and asked for by itself.
      if (!asking.signal.aborted && !(error instanceof OtherSize)) problem.value = asProblem(error);
    });
    return () => asking.abort();
  }, [draft.key, target.id, ...target.size, x, y, zoom, rotation, caption, captionAt, intent, isThere, attempt.value]);
  useEffect(() => {
    const missing = offeredIntents.filter((one) => previews.peek()[one] === undefined);
    if (!wantsAll || isOld.value || missing.length === 0) return undefined;
    const asking = new AbortController();
    const run = async (): Promise<void> => {
      await pause(restMs, asking.signal);
      await ask(missing, asking.signal);
    };
    // What was asked for is there; the others are a help, and may fail.
    run().catch(() => undefined);
    return () => asking.abort();
  }, [isOld.value, wantsAll]);
  const again = (): void => {
    problem.value = undefined;
    attempt.value += 1;
  };
  return { previews, isOld, problem, again };
}

/** Draws the preview and, for anyone who wants it, the choice of intents. */
export const PreviewPanel = ({ draft, target }: { readonly draft: Draft; readonly target: Target }) => {
  const isAdjusting = useSignal(false);
  const { previews, isOld, problem, again } = usePreviews(draft, target, isAdjusting.value);
  const [width, height] = target.size;
  return (
    <PreviewFigure
      address={previews.value[draft.intent.value]}
      alt={t('send.previewOf', { name: target.name })}
      caption={t('send.previewOf', { name: target.name })}
      size={target.size}
      isOld={isOld.value}
      problem={problem.value}
      again={again}
    >
      <details
        class="adjust"
        open={isAdjusting.value}
        onToggle={(event) => {
          isAdjusting.value = event.currentTarget.open;
        }}
      >
        <summary>{t('send.adjust')}</summary>
        <fieldset class="intents">
          <legend class="note">{t('send.intent')}</legend>
          {offeredIntents.map((intent) => (
            <label key={intent} class={isOld.value ? 'old' : ''}>
              <input
                type="radio"
                name={`intent-${draft.key}`}
                checked={draft.intent.value === intent}
                onChange={() => setFromHere(draft, 'intent', intent)}
              />
              <span class="thumb" style={{ aspectRatio: `${width} / ${height}` }}>
                {previews.value[intent] !== undefined && <img src={previews.value[intent]} alt="" />}
              </span>
              <span>{t(`send.intent.${intent}`)}</span>
            </label>
          ))}
        </fieldset>
      </details>
    </PreviewFigure>
  );
};
