/** The settings of a paper that shows a recipe: which one, and what its form asks for. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import { useResource } from '../../ground/resource.ts';
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { CheckField, ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field, type FieldProps } from '../../parts/forms/field.tsx';
import { Loading, ProblemBox } from '../../parts/states.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import {
  boundValue,
  isKeptSecret,
  type RecipeField,
  setValue,
  shownFields,
  shownValue,
  valuesOf,
} from '../draft/recipe-values.ts';
import { OtherOffer } from '../offers/chosen-offer.tsx';
import { fieldText, optionLabel, recipeText } from '../offers/recipe-texts.ts';
import { LookedUpInput } from './looked-up-input.tsx';
import { RecipeChoice } from './recipe-choice.tsx';
import { firstMarkup, TemplateFields } from './template-fields.tsx';

interface OwnProps {
  readonly draft: PaperDraft;
}

/** Draws the choice of a recipe, or the form of the chosen one. */
export const RecipeFields = ({ draft }: OwnProps) => {
  const chosen = draft.text('recipe');
  const isChoosing = useSignal(false);
  if (draft.get('template') !== undefined) return <TemplateFields draft={draft} />;
  if (chosen === '' || isChoosing.value)
    return (
      <RecipeChoice
        organization={draft.base.value.organization}
        write={() => draft.set('template', { markup: firstMarkup })}
        choose={({ id, name }) => {
          if (id !== chosen) draft.set('pluginSettings', undefined);
          draft.set('recipe', id);
          if (draft.text('title') === '') draft.set('title', name);
          isChoosing.value = false;
        }}
      />
    );
  return (
    <ChosenRecipe
      key={chosen}
      draft={draft}
      id={chosen}
      chooseOther={() => {
        isChoosing.value = true;
      }}
    />
  );
};

/** The form of a recipe, below its name and what it is. */
export const ChosenRecipe = ({
  draft,
  id,
  chooseOther,
}: OwnProps & {
  readonly id: string;
  /** Begins the choice of another one; left out where that stands elsewhere on the page. */
  readonly chooseOther?: () => void;
}) => {
  const { organization } = draft.base.value;
  const found = useResource<Schemas['Recipe']>(
    (signal) => callApi('GET /recipes/{recipeId}', { path: { recipeId: id }, query: { organization }, signal }),
    [id, organization],
  );
  const recipe = found.value;
  useEffect(() => {
    draft.recipeFields.value = recipe?.fields;
    if (recipe !== undefined && draft.base.peek().id === '' && draft.text('title') === '')
      draft.set('title', recipeText(recipe, 'name').slice(0, 80));
  }, [recipe]);
  if (found.problem !== undefined) return <ProblemBox problem={found.problem} again={() => void found.reload()} />;
  if (recipe === undefined) return <Loading />;
  return (
    <div class="part">
      <div class="chosen-offer">
        <h2 dir="auto">{recipeText(recipe, 'name')}</h2>
        {chooseOther === undefined ? (
          <OtherOffer />
        ) : (
          <button type="button" onClick={chooseOther}>
            {t('recipes.other')}
          </button>
        )}
        <p class="note" dir="auto">
          {recipeText(recipe, 'description')}
        </p>
      </div>
      {shownFields(draft, recipe.fields).map((field) => (
        <RecipeFieldInput key={field.key} draft={draft} field={field} />
      ))}
      {recipe.strategy === 'webhook' && <p class="note">{t('recipes.waits')}</p>}
    </div>
  );
};

interface InputProps extends OwnProps {
  readonly field: RecipeField;
}

const RecipeFieldInput = ({ draft, field }: InputProps) => {
  if (field.lookup !== null) return <LookedUpInput draft={draft} field={field} />;
  if (field.input === 'choice') return <OneChoice draft={draft} field={field} />;
  if (field.input === 'choices') return <SeveralChoices draft={draft} field={field} />;
  if (field.input === 'switch')
    return (
      <CheckField
        label={fieldText(field, 'name')}
        value={bound(shownValue(draft, field) === 'true', (isOn) => setValue(draft, field.key, String(isOn)))}
      />
    );
  if (field.input === 'secret') return <SecretInput draft={draft} field={field} />;
  if (field.input === 'shown') return <p class="note">{`${fieldText(field, 'name')}: ${shownValue(draft, field)}`}</p>;
  return <TypedInput draft={draft} field={field} />;
};

/** The controls of values that are typed, by the field's input; all others are one line of text. */
const controls: Readonly<Record<string, Partial<FieldProps>>> = {
  lines: { rows: 4 },
  code: { rows: 8 },
  address: { type: 'url' },
  number: { type: 'number' },
  time: { type: 'time' },
  zone: { list: 'zones' },
};

const TypedInput = ({ draft, field }: InputProps) => {
  const { bounds, isRequired } = field;
  const [hint, placeholder] = [fieldText(field, 'description'), fieldText(field, 'placeholder')];
  return (
    <Field
      label={fieldText(field, 'name')}
      value={boundValue(draft, field)}
      required={isRequired}
      dir="auto"
      {...(hint !== '' && { hint })}
      {...(placeholder !== '' && { placeholder })}
      {...(bounds.min !== undefined && { min: bounds.min })}
      {...(bounds.max !== undefined && { max: bounds.max })}
      {...(bounds.maxLength !== undefined && { maxLength: bounds.maxLength })}
      {...controls[field.input]}
    />
  );
};

const OneChoice = ({ draft, field }: InputProps) => {
  const choices = field.options.map((option) => [option.value, optionLabel(option)] as const);
  const isEmptyNamed = choices.some(([value]) => value === '');
  const hint = fieldText(field, 'description');
  return (
    <ChoiceField
      label={fieldText(field, 'name')}
      value={boundValue(draft, field)}
      choices={isEmptyNamed || field.initial !== '' ? choices : [['', t('recipes.choose')], ...choices]}
      {...(hint !== '' && { hint })}
    />
  );
};

const SeveralChoices = ({ draft, field }: InputProps) => {
  const given = valuesOf(draft)[field.key] ?? field.initial;
  const chosen = Array.isArray(given) ? given.map(String) : [];
  return (
    <fieldset>
      <legend>{fieldText(field, 'name')}</legend>
      {field.options.map((option) => (
        <CheckField
          key={option.value}
          label={optionLabel(option)}
          value={bound(chosen.includes(option.value), (isIn) =>
            setValue(draft, field.key, isIn ? [...chosen, option.value] : chosen.filter((one) => one !== option.value)),
          )}
        />
      ))}
    </fieldset>
  );
};

/** A secret is never shown again: what is typed replaces the one that is kept. */
const SecretInput = ({ draft, field }: InputProps) => {
  const value = shownValue(draft, field);
  const isKept = isKeptSecret(value);
  return (
    <Field
      type="password"
      autocomplete="off"
      label={fieldText(field, 'name')}
      hint={isKept ? t('recipes.secretKept') : fieldText(field, 'description') || undefined}
      placeholder={isKept ? '••••••••' : fieldText(field, 'placeholder')}
      required={field.isRequired && !isKept}
      value={bound(isKept ? '' : value, (text) => setValue(draft, field.key, text))}
    />
  );
};
