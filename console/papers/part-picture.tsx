/** The picture of a paper that is made for another one: one file, cut to the shape of the frame. */
import { type Signal, useSignal } from '@preact/signals';
import { t } from '../ground/words.ts';
import type { Size } from '../parts/drafts/crop.ts';
import { CropEditor } from '../parts/drafts/crop-editor.tsx';
import { type Draft, newDraft, newKey } from '../parts/drafts/drafts.ts';
import { isTrouble, type OpenTrouble, troubleText } from '../parts/drafts/file-trouble.ts';
import { openFile } from '../parts/drafts/open-file.ts';
import { Icon } from '../parts/icon.tsx';

interface PictureProps {
  readonly picture: Signal<Draft | undefined>;
  /** The pixels of the frame. */
  readonly size: Size;
}

/** Draws the choice of the file and the cut. */
export const PartPicture = ({ picture, size }: PictureProps) => {
  const trouble = useSignal<OpenTrouble | undefined>(undefined);
  const take = async (file: File): Promise<void> => {
    const opened = await openFile(file).catch((): OpenTrouble => 'broken');
    trouble.value = isTrouble(opened) ? opened : undefined;
    if (isTrouble(opened)) return;
    picture.peek()?.picture.close();
    picture.value = newDraft({ key: newKey(), name: file.name, addedAt: Date.now() }, opened);
  };
  const chosen = picture.value;
  return (
    <>
      {chosen !== undefined && <CropEditor key={chosen.key} draft={chosen} panel={size} />}
      <div class="actions">
        <label class={chosen === undefined ? 'button primary' : 'button'}>
          <Icon name="plus" />
          {t(chosen === undefined ? 'slides.pickOne' : 'slides.pickOther')}
          <input
            class="visually-hidden"
            type="file"
            accept="image/*"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              // The same file may be picked again.
              if (file !== undefined) void take(file).finally(() => (currentTarget.value = ''));
            }}
          />
        </label>
      </div>
      {trouble.value !== undefined && (
        <p class="warn" role="alert">
          {troubleText(trouble.value)}
        </p>
      )}
    </>
  );
};
