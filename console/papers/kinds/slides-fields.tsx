/** The settings of slides: which papers, in which order. */
import { useSignal } from '@preact/signals';
import { type Paper, papers } from '../../ground/paper-book.ts';
import { kindName, traitsOf } from '../../ground/paper-kinds.ts';
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { CheckField } from '../../parts/forms/choice-field.tsx';
import { paperChoices } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import { byNature } from '../../parts/natural-order.ts';
import { OrderedList } from '../draft/ordered-list.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import { partRequest } from '../draft/part-request.ts';

/** The papers that can be shown by one that is made of papers: of its organization, in the order of their titles. */
export const showable = (organization: string): readonly Paper[] =>
  [...papers.value.values()]
    .filter((paper) => paper.organization === organization && !traitsOf(paper.kind).isComposed)
    .sort((a, b) => byNature(a.title, b.title));

/** The title of a paper by its id; one that is gone is named so. */
export const titleOf = (id: string): string => papers.value.get(id)?.title ?? t('papers.goneTitle');

/** Returns the papers that slides name, in their order. */
export function slidesIn(selected: unknown): readonly string[] {
  if (Array.isArray(selected)) return selected.filter((id): id is string => typeof id === 'string');
  const marks = typeof selected === 'object' && selected !== null ? selected : {};
  return Object.entries(marks).flatMap(([id, isIn]) => (isIn === true ? [id] : []));
}

/** Draws the slides and the choice of further ones. */
export const SlidesFields = ({ draft }: { readonly draft: PaperDraft }) => {
  const ids = slidesIn(draft.get('selectedPapers'));
  const put = (next: readonly string[]): void => {
    // Other clients write marks; their order is that of the slides as well.
    const isList = Array.isArray(draft.base.peek().meta.selectedPapers);
    draft.set('selectedPapers', isList ? next : Object.fromEntries(next.map((id) => [id, true])));
  };
  return (
    <div class="part">
      <h3>{t('slides.title')}</h3>
      {ids.length === 0 && <p class="note">{t('slides.empty')}</p>}
      <OrderedList
        items={ids}
        label={t('slides.title')}
        keyOf={(id) => id}
        nameOf={titleOf}
        draw={(id) => <PaperName id={id} />}
        change={put}
      />
      <AddPaper
        organization={draft.base.value.organization}
        label={t('slides.add')}
        without={ids}
        // Asked again: a new one is made while others may change the list.
        add={(id) => put([...slidesIn(draft.get('selectedPapers')), id])}
      />
      <CheckField label={t('slides.shuffle')} value={draft.mark('order', 'random')} />
      <p class="note">{t('slides.hint')}</p>
    </div>
  );
};

/** The title and the kind of a paper. */
export const PaperName = ({ id }: { readonly id: string }) => {
  const paper = papers.value.get(id);
  return (
    <>
      <strong dir="auto">{titleOf(id)}</strong>{' '}
      <span class="note">{paper === undefined ? t('papers.goneHint') : kindName(paper.kind)}</span>
    </>
  );
};

/** Draws the button that opens a new paper over the page: typed texts stay, and the paper is in the list afterwards. */
const MakeOne = ({ organization, add }: Pick<AddPaperProps, 'organization' | 'add'>) => (
  <button
    type="button"
    onClick={() => {
      partRequest.value = { organization, add };
    }}
  >
    {t('slides.makeOne')}
  </button>
);

interface AddPaperProps {
  readonly organization: string;
  readonly label: string;
  readonly without: readonly string[];
  readonly add: (id: string) => void;
}

/** The choice of one more paper. */
export const AddPaper = ({ organization, label, without, add }: AddPaperProps) => {
  const chosen = useSignal('');
  const choice = showable(organization).filter(({ id }) => !without.includes(id));
  if (choice.length === 0)
    return (
      <p class="note">
        {t('slides.noMore')} <MakeOne organization={organization} add={add} />
      </p>
    );
  const id = choice.some((paper) => paper.id === chosen.value) ? chosen.value : (choice[0]?.id ?? '');
  return (
    <div class="line-form">
      <SearchChoice
        class="field narrow"
        label={label}
        value={bound(id, (other) => {
          chosen.value = other;
        })}
        choices={paperChoices(choice)}
      />
      <button type="button" onClick={() => add(id)}>
        {t('slides.addDo')}
      </button>
      <MakeOne organization={organization} add={add} />
    </div>
  );
};
