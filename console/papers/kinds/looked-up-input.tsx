/** A field whose choices the recipe's source answers: all of them, or those that fit what was typed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { asProblem } from '../../ground/resource.ts';
import { saidText } from '../../ground/said.ts';
import { t } from '../../ground/words.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field } from '../../parts/forms/field.tsx';
import { problemText } from '../../parts/states.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import { boundValue, isKeptSecret, type RecipeField, shownValue, valuesOf } from '../draft/recipe-values.ts';
import { fieldText } from '../offers/recipe-texts.ts';

type Looked = AnswerOf<'POST /previews/recipe-options'>;

/** The source is asked once nobody has typed for this long. */
const restMs = 500;

interface LookedUpProps {
  readonly draft: PaperDraft;
  readonly field: RecipeField;
}

/** Draws it: a choice of what was found, and where nothing can be found, the value itself to be typed. */
export const LookedUpInput = ({ draft, field }: LookedUpProps) => {
  const typed = useSignal('');
  const { looked, problem } = useLookedUp({ draft, field }, typed.value);
  const label = fieldText(field, 'name');
  const hint = fieldText(field, 'description') || undefined;
  const chosen = shownValue(draft, field);
  const options = looked?.options ?? [];
  if (problem !== '' && options.length === 0)
    return (
      <>
        <Field label={label} hint={hint} required={field.isRequired} value={boundValue(draft, field)} />
        <p class="warn" role="alert">
          {problem}
        </p>
      </>
    );
  const choices = options.map(({ value, label: word }) => [value, word] as const);
  // What was chosen before stays chosen while something else is searched.
  const isMissing = chosen !== '' && !options.some(({ value }) => value === chosen);
  return (
    <>
      {field.lookup?.takesText === true && <Field type="search" label={t('recipes.lookUp', { label })} value={typed} />}
      <ChoiceField
        label={label}
        required={field.isRequired}
        value={boundValue(draft, field)}
        choices={[['', t('recipes.choose')], ...(isMissing ? [[chosen, chosen] as const] : []), ...choices]}
        {...(hint !== undefined && { hint })}
      />
    </>
  );
};

function useLookedUp({ draft, field }: LookedUpProps, text: string): { looked: Looked | undefined; problem: string } {
  const looked = useSignal<Looked | undefined>(undefined);
  const problem = useSignal('');
  const { organization } = draft.base.value;
  // A secret that is kept has its place here, and no value: none goes to a source of choices.
  const values = Object.fromEntries(
    Object.entries(valuesOf(draft)).filter(([, value]) => !isKeptSecret(String(value))),
  );
  const needed = field.lookup?.dependsOn.map((key) => String(values[key] ?? '')) ?? [];
  const isReady = field.lookup?.takesText !== true || text.trim() !== '';
  useEffect(() => {
    if (!isReady) return undefined;
    const asking = new AbortController();
    const body = { organization, recipe: draft.text('recipe'), field: field.key, values, text: text.trim() };
    const ask = async (): Promise<void> => {
      try {
        const answer = await callApi('POST /previews/recipe-options', { body, signal: asking.signal });
        looked.value = answer;
        problem.value = saidText(answer.problems, '');
      } catch (error) {
        if (!asking.signal.aborted) problem.value = problemText(asProblem(error));
      }
    };
    const timer = setTimeout(() => void ask(), restMs);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [text, JSON.stringify(needed), isReady]);
  return { looked: looked.value, problem: problem.value };
}
