/** The pictures that are worked on, to choose among. */
import type { ComponentType } from 'preact';
import { t } from '../../ground/words.ts';
import { Icon } from '../icon.tsx';
import { chosenDraft, type Draft, drafts } from './drafts.ts';

/** Draws a button for each; those that have a place to go to are marked. */
export const DraftTabs: ComponentType<{ readonly chosen: Draft }> = ({ chosen }) => (
  <ul class="drafts" aria-label={t('send.pictures')}>
    {drafts.value.map((draft) => (
      <li key={draft.id}>
        <button
          type="button"
          aria-pressed={draft === chosen}
          onClick={() => {
            chosenDraft.value = draft.id;
          }}
        >
          {draft.targets.value.length > 0 && <Icon name="check" />}
          <span>{draft.name}</span>
        </button>
      </li>
    ))}
  </ul>
);
