/** The ways in which pictures come in: picked, photographed, dropped, pasted; and what was not taken. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { Icon } from '../icon.tsx';
import { addFiles, filesOpening, refusedFiles } from './drafts.ts';
import { troubleText } from './file-trouble.ts';

/**
 * Takes files that are dropped or pasted anywhere on the page.
 * @returns whether files are held over the page
 */
export function useFiles(): Signal<boolean> {
  const isOver = useSignal(false);
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    addEventListener('dragenter', over, { signal });
    addEventListener('dragover', over, { signal });
    addEventListener(
      'dragleave',
      ({ relatedTarget }) => {
        if (relatedTarget === null) isOver.value = false;
      },
      { signal },
    );
    addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        isOver.value = false;
        void addFiles([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
    addEventListener('paste', ({ clipboardData }) => void addFiles([...(clipboardData?.files ?? [])]), { signal });
    return () => listening.abort();
  }, []);
  return isOver;
}

/** The place where pictures are dropped, with the two buttons; small once there are some. */
export const FilePicker = ({ isSmall = false }: { readonly isSmall?: boolean }) => (
  <div class={isSmall ? 'picker small' : 'picker'}>
    {!isSmall && <Icon name="pictures" />}
    <PickButton label={t(isSmall ? 'send.pickMore' : 'send.pick')} icon="plus" isPrimary={!isSmall} />
    <PickButton label={t('send.photograph')} icon="camera" capture />
    <p class="note drop">{t('send.dropHint')}</p>
    <p class="note" role="status">
      {filesOpening.value > 0 ? t('send.opening', { count: filesOpening.value }) : ''}
    </p>
  </div>
);

const PickButton = ({
  label,
  icon,
  capture = false,
  isPrimary = false,
}: {
  readonly label: string;
  readonly icon: string;
  readonly capture?: boolean;
  readonly isPrimary?: boolean;
}) => (
  <label class={capture ? 'button camera' : isPrimary ? 'button primary' : 'button'}>
    <Icon name={icon} />
    {label}
    <input
      class="visually-hidden"
      type="file"
      accept="image/*"
      multiple={!capture}
      {...(capture && { capture: 'environment' as const })}
      onChange={({ currentTarget }) => {
        const files = [...(currentTarget.files ?? [])];
        // The same file may be picked again.
        currentTarget.value = '';
        void addFiles(files);
      }}
    />
  </label>
);

/** Files that were not taken, each with what to do. */
export const RefusedFiles = () => (
  <div role="alert">
    {refusedFiles.value.length > 0 && (
      <div class="problem">
        <ul>
          {refusedFiles.value.map(({ id, name, trouble }) => (
            <li key={id}>
              <strong>{name}</strong>: {troubleText(trouble)}
            </li>
          ))}
        </ul>
        <button
          type="button"
          onClick={() => {
            refusedFiles.value = [];
          }}
        >
          {t('state.dismiss')}
        </button>
      </div>
    )}
  </div>
);
