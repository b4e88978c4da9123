/** The form of what a group gives: a paper, settings, and how they go out. */
import { type Signal, useSignal } from '@preact/signals';
import type { AnswerOf } from '../../ground/call-api.ts';
import { papers } from '../../ground/paper-book.ts';
import { t } from '../../ground/words.ts';
import { paperChoices } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import type { MetaFields } from '../settings/change-meta.ts';
import { type CommonSettings, CommonSettingsFields, useCommonSettings } from '../settings/common-settings.tsx';
import { type Pace, PaceFields, usePace } from './pace-fields.tsx';

/** The groups of an organization, as the service lists them. */
export type GroupList = AnswerOf<'GET /organizations/{organizationId}/groups/'>;

const none = 'none';

/** The choices of a form. */
export interface GroupGiftDraft {
  /** The id of the paper, or `none`. */
  readonly paper: Signal<string>;
  readonly settings: CommonSettings;
  readonly pace: Pace;
}

/** Returns the choices of a form that opens, from what is given already. */
export const useGift = (paper: string | null, given: MetaFields): GroupGiftDraft => ({
  paper: useSignal(paper ?? none),
  settings: useCommonSettings(given),
  pace: usePace(),
});

/** Returns the id of the paper that was chosen; null for none. */
export const paperOfGift = ({ paper }: GroupGiftDraft): string | null => (paper.value === none ? null : paper.value);

/** Draws it. How it goes out is asked only where something goes out. */
export const GiftFields = ({ gift, isGiving }: { readonly gift: GroupGiftDraft; readonly isGiving: boolean }) => (
  <>
    <SearchChoice
      label={t('several.paper')}
      value={gift.paper}
      choices={[{ value: none, word: t('several.asIs') }, ...paperChoices(papers.value.values())]}
    />
    <CommonSettingsFields draft={gift.settings} />
    {isGiving && <PaceFields pace={gift.pace} />}
  </>
);
