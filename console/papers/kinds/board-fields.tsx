/** The settings of a board: how its parts are arranged, and what stands in each. */
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { paperOrNothing } from '../../parts/forms/paper-choices.ts';
import { SearchChoice } from '../../parts/forms/search-choice.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import { partRequest } from '../draft/part-request.ts';
import { showable } from './slides-fields.tsx';

type Box = readonly [x: number, y: number, width: number, height: number];

/** The arrangements as the service knows them, each with its parts in halves, or thirds, of the screen. */
const arrangements = {
  columns: [
    [0, 0, 1, 2],
    [1, 0, 1, 2],
  ],
  rows: [
    [0, 0, 2, 1],
    [0, 1, 2, 1],
  ],
  'left-and-two': [
    [0, 0, 1, 2],
    [1, 0, 1, 1],
    [1, 1, 1, 1],
  ],
  'two-and-right': [
    [0, 0, 1, 1],
    [0, 1, 1, 1],
    [1, 0, 1, 2],
  ],
  'top-and-two': [
    [0, 0, 2, 1],
    [0, 1, 1, 1],
    [1, 1, 1, 1],
  ],
  'two-and-bottom': [
    [0, 0, 1, 1],
    [1, 0, 1, 1],
    [0, 1, 2, 1],
  ],
  thirds: [
    [0, 0, 2 / 3, 2],
    [2 / 3, 0, 2 / 3, 2],
    [4 / 3, 0, 2 / 3, 2],
  ],
  quarters: [
    [0, 0, 1, 1],
    [1, 0, 1, 1],
    [0, 1, 1, 1],
    [1, 1, 1, 1],
  ],
} as const satisfies Readonly<Record<string, readonly Box[]>>;

type Arrangement = keyof typeof arrangements;
const names = Object.keys(arrangements) as Arrangement[];

/** Returns the papers of a board by the places of its parts; an empty part is an empty text. */
export function partsIn(parts: unknown): readonly string[] {
  return Array.isArray(parts) ? parts.map((id) => (typeof id === 'string' ? id : '')) : [];
}

/** Draws the arrangement, and a choice for each part. */
export const BoardFields = ({ draft }: { readonly draft: PaperDraft }) => {
  const chosen = names.find((name) => name === draft.get('arrangement')) ?? 'columns';
  const boxes = arrangements[chosen];
  const put = (at: number, id: string): void => {
    const before = partsIn(draft.get('parts'));
    draft.set(
      'parts',
      Array.from({ length: Math.max(before.length, at + 1) }, (_, place) =>
        place === at ? id : (before[place] ?? ''),
      ),
    );
  };
  return (
    <div class="part">
      <fieldset class="arrangements">
        <legend>{t('board.arrangement')}</legend>
        {names.map((name) => (
          <label key={name} class="arrangement" title={t(`board.${name}`)}>
            <input
              type="radio"
              name="arrangement"
              checked={name === chosen}
              aria-label={t(`board.${name}`)}
              onChange={() => draft.set('arrangement', name)}
            />
            <Drawing boxes={arrangements[name]} />
          </label>
        ))}
      </fieldset>
      {boxes.map((_, at) => (
        <PartChoice
          key={at}
          draft={draft}
          label={t('board.part', { number: at + 1 })}
          id={partsIn(draft.get('parts'))[at] ?? ''}
          put={(id) => put(at, id)}
        />
      ))}
      <p class="note">{t('board.hint')}</p>
    </div>
  );
};

const Drawing = ({ boxes }: { readonly boxes: readonly Box[] }) => (
  <svg viewBox="-2 -2 64 44" width="48" aria-hidden="true">
    {boxes.map(([x, y, width, height], at) => (
      <g key={`${x} ${y}`}>
        <rect x={x * 30 + 1} y={y * 20 + 1} width={width * 30 - 2} height={height * 20 - 2} rx="2" />
        <text x={x * 30 + width * 15} y={y * 20 + height * 10 + 4} text-anchor="middle">
          {at + 1}
        </text>
      </g>
    ))}
  </svg>
);

const PartChoice = ({
  draft,
  label,
  id,
  put,
}: {
  readonly draft: PaperDraft;
  readonly label: string;
  readonly id: string;
  readonly put: (id: string) => void;
}) => {
  const { organization } = draft.base.value;
  return (
    <div class="line-form">
      <SearchChoice
        class="field narrow"
        label={label}
        value={bound(id, put)}
        choices={paperOrNothing(showable(organization))}
      />
      <button
        type="button"
        onClick={() => {
          partRequest.value = { organization, add: put };
        }}
      >
        {t('slides.makeOne')}
      </button>
    </div>
  );
};
