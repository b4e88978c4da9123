/** The pictures that are worked on, to choose among. */
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { Icon } from '../icon.tsx';
import { chosenDraft, type Draft, draftsInHand, removeDraft } from './drafts.ts';

/** Draws each as a small picture, with a way to take it away. */
export const DraftTabs = ({ chosen }: { readonly chosen: Draft }) => (
  <ul class="drafts" aria-label={t('send.pictures')}>
    {draftsInHand().map((draft) => (
      <li key={draft.key}>
        <button
          type="button"
          class="pick"
          aria-pressed={draft === chosen}
          onClick={() => {
            chosenDraft.value = draft.key;
          }}
        >
          <SmallPicture draft={draft} />
          <span>{draft.name}</span>
        </button>
        <button
          type="button"
          class="plain away"
          aria-label={t('send.removeOf', { name: draft.name })}
          onClick={() => removeDraft(draft.key)}
        >
          <Icon name="close" />
        </button>
      </li>
    ))}
  </ul>
);

/** Twice the height at which it stands. */
const smallSide = 144;

const SmallPicture = ({ draft: { picture, size } }: { readonly draft: Draft }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (canvas.current === null || !context) return;
    const scale = smallSide / Math.max(...size);
    canvas.current.width = Math.max(1, Math.round(size[0] * scale));
    canvas.current.height = Math.max(1, Math.round(size[1] * scale));
    context.drawImage(picture, 0, 0, canvas.current.width, canvas.current.height);
  }, [picture]);
  return <canvas ref={canvas} />;
};
