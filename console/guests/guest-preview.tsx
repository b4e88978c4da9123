/** The picture as the panel will show it, from the service, for guests whose link allows it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callApi, type Problem } from '../ground/call-api.ts';
import { asProblem } from '../ground/resource.ts';
import { t } from '../ground/words.ts';
import { fileOf } from '../parts/drafts/ask-readable.ts';
import { boundCrop, type Size } from '../parts/drafts/crop.ts';
import { cropFor, type Draft } from '../parts/drafts/drafts.ts';
import { previewPictureOf } from '../parts/drafts/draw-picture.ts';
import { handMs, pause } from '../parts/drafts/pause.ts';
import { PreviewFigure } from '../parts/drafts/preview-figure.tsx';
import { guest, guestHeaders } from './guest-link.ts';

/** Draws the preview and keeps it in step with the crop and the caption. */
export const GuestPreviewPicture = ({ draft, size }: { readonly draft: Draft; readonly size: Size }) => {
  const address = useSignal<string | undefined>(undefined);
  const isOld = useSignal(true);
  const problem = useSignal<Problem | undefined>(undefined);
  const attempt = useSignal(0);
  const { x, y, zoom, rotation } = boundCrop(draft.size, size, cropFor(draft, size));
  const [caption, captionAt] = [draft.caption.value, draft.captionAt.value];
  useEffect(() => {
    isOld.value = true;
    const asking = new AbortController();
    const { signal } = asking;
    const ask = async (): Promise<void> => {
      await pause(handMs, signal);
      const looks = { crop: { x, y, zoom, rotation }, caption, captionAt };
      const picture = await previewPictureOf(draft, { panel: size, ...looks, signal });
      const { png } = await callApi('POST /guest/previews/', {
        form: { picture: fileOf(picture) },
        headers: guestHeaders(),
        signal,
      });
      if (signal.aborted) return;
      address.value = `data:image/png;base64,${png}`;
      isOld.value = false;
      problem.value = undefined;
    };
    ask().catch((error: unknown) => {
      if (!signal.aborted) problem.value = asProblem(error);
    });
    return () => asking.abort();
  }, [draft.key, ...size, x, y, zoom, rotation, caption, captionAt, attempt.value]);
  const again = (): void => {
    problem.value = undefined;
    attempt.value += 1;
  };
  return (
    <PreviewFigure
      address={address.value}
      alt={t('send.previewOf', { name: guest.value?.paper.title ?? '' })}
      caption={t('guest.preview')}
      size={size}
      isOld={isOld.value}
      problem={problem.value}
      again={again}
    />
  );
};
