/** The part of an Immich library that an album is filled from. */
import { t } from '../../ground/words.ts';
import { ChoiceTiles } from './choice-tiles.tsx';
import { immichParts, type SourceFields } from './source-fields.ts';
import { TriedField } from './tried-field.tsx';
import type { Tried } from './use-trial.ts';

interface ImmichPartsProps {
  readonly paperId: string;
  readonly trial: { readonly source: unknown };
  readonly fields: SourceFields;
  readonly choices: NonNullable<Tried['choices']>;
  /** The problem of a search. */
  readonly problem: string | undefined;
}

/** Draws the parts, and what is chosen within one of them. */
export const ImmichParts = ({ paperId, trial, fields, choices, problem }: ImmichPartsProps) => {
  const { part, chosen, search } = fields;
  const sort = part.value === 'people' ? 'person' : 'album';
  const own = choices.filter((choice) => choice.sort === sort);
  return (
    <>
      <fieldset class="choice">
        <legend>{t('sources.part')}</legend>
        {immichParts.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="immich-part"
              checked={part.value === name}
              onChange={() => {
                chosen.value = [];
                part.value = name;
              }}
            />
            <span>{t(`sources.part.${name}`)}</span>
          </label>
        ))}
      </fieldset>
      {part.value === 'search' && (
        <TriedField
          label={t('sources.searchText')}
          type="search"
          value={search}
          hint={t('sources.searchHint')}
          problem={problem}
        />
      )}
      {(part.value === 'albums' || part.value === 'people') &&
        (own.length === 0 ? (
          <p class="note">{t(`sources.none.${part.value}`)}</p>
        ) : (
          <ChoiceTiles
            key={sort}
            paperId={paperId}
            trial={trial}
            choices={own}
            chosen={chosen}
            label={t(`sources.choose.${part.value}`)}
          />
        ))}
    </>
  );
};
