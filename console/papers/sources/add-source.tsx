/** Adding pictures from elsewhere: first the kind of place, then its form. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { KindTiles, WhyNotGoogle } from './kind-tiles.tsx';
import { SourceForm } from './source-form.tsx';
import type { OfferedSource } from './source-kinds.ts';
import type { AlbumSource } from './sources-book.ts';

interface AddSourceProps {
  readonly paperId: string;
  readonly added: (source: AlbumSource) => unknown;
}

/** The step: nothing yet, the tiles, or the form of a kind. */
type Step = 'closed' | 'tiles' | OfferedSource;

/** Draws the button, and behind it the tiles and the form. */
export const AddSource = ({ paperId, added }: AddSourceProps) => {
  const step = useSignal<Step>('closed');
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    step.value = 'closed';
    requestAnimationFrame(() => button.current?.focus());
  };
  if (step.value === 'closed')
    return (
      <div class="actions">
        <button
          ref={button}
          type="button"
          class="primary"
          onClick={() => {
            step.value = 'tiles';
          }}
        >
          <Icon name="plus" />
          {t('sources.addFrom')}
        </button>
      </div>
    );
  return <OpenStep paperId={paperId} step={step} close={close} added={added} />;
};

interface OpenStepProps extends AddSourceProps {
  readonly step: Signal<Step>;
  readonly close: () => void;
}

const OpenStep = ({ paperId, step, close, added }: OpenStepProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const offered = useResource(
    (signal) => callApi('GET /papers/{paperId}/sources/offered', { path: { paperId }, signal }),
    [paperId],
  );
  const at = step.value;
  // The step before is gone, and so is what had the focus.
  useEffect(() => heading.current?.focus(), [at]);
  const folders = offered.value?.folders ?? [];
  return (
    <section class="part" aria-labelledby="add-source">
      <h3 id="add-source" ref={heading} tabIndex={-1}>
        {at === 'tiles' || at === 'closed' ? t('sources.addFrom') : t(`sources.kind.${at}`)}
      </h3>
      {at === 'tiles' && (
        <KindTiles
          hasFolders={folders.length > 0}
          choose={(kind) => {
            step.value = kind;
          }}
        />
      )}
      {at === 'google' && <WhyNotGoogle />}
      {at !== 'tiles' && at !== 'closed' && at !== 'google' && (
        <SourceForm
          paperId={paperId}
          kind={at}
          folders={folders}
          added={(source) => {
            close();
            void added(source);
          }}
        />
      )}
      <div class="actions">
        {at !== 'tiles' && (
          <button
            type="button"
            onClick={() => {
              step.value = 'tiles';
            }}
          >
            <Icon name="back" />
            {t('sources.otherPlace')}
          </button>
        )}
        <button type="button" onClick={close}>
          {t('state.cancel')}
        </button>
      </div>
    </section>
  );
};
