/** A template: an address with data, markup that shows them, and the data as they are now. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { saidText } from '../../ground/said.ts';
import { t } from '../../ground/words.ts';
import { bound } from '../../parts/bound.ts';
import { Field } from '../../parts/forms/field.tsx';
import { act } from '../../parts/messages.tsx';
import type { PaperDraft } from '../draft/paper-draft.ts';
import { DataTree } from './data-tree.tsx';

type Template = Readonly<Record<string, unknown>>;
type Data = AnswerOf<'POST /previews/recipe-data'>;

/** The markup that a template begins with: it shows something before there are data. */
export const firstMarkup = `<div class="layout layout--col layout--center">
  <span class="value value--xlarge">{{ trmnl.device.width }} × {{ trmnl.device.height }}</span>
</div>
`;

const templateOf = (draft: PaperDraft): Template => {
  const template = draft.get('template');
  return typeof template === 'object' && template !== null ? (template as Template) : {};
};

const textIn = (draft: PaperDraft, name: string): string => {
  const value = templateOf(draft)[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

const boundText = (draft: PaperDraft, name: string) =>
  bound(textIn(draft, name), (text) => draft.set('template', { ...templateOf(draft), [name]: text }));

/** Draws the editor. */
export const TemplateFields = ({ draft }: { readonly draft: PaperDraft }) => {
  const data = useSignal<Data | undefined>(undefined);
  const markup = useRef<HTMLDivElement>(null);
  const ask = (): Promise<unknown> =>
    act(async () => {
      const { id, organization } = draft.base.peek();
      const saved = id === '' ? {} : { paperId: id };
      data.value = await callApi('POST /previews/recipe-data', {
        body: { organization, meta: { ...draft.meta }, ...saved },
      });
    });
  return (
    <div class="part">
      <Field
        label={t('template.addresses')}
        hint={t('template.addressesHint')}
        rows={2}
        value={boundText(draft, 'addresses')}
      />
      <details open={textIn(draft, 'headers') !== ''}>
        <summary>{t('template.more-request')}</summary>
        <div class="paper-form">
          <Field
            label={t('template.headers')}
            hint={t('template.headersHint')}
            rows={2}
            value={boundText(draft, 'headers')}
          />
          <Field
            type="number"
            min={5}
            max={1_440}
            label={t('template.every')}
            placeholder="60"
            value={boundText(draft, 'everyMinutes')}
          />
        </div>
      </details>
      <p>
        <button type="button" disabled={textIn(draft, 'addresses').trim() === ''} onClick={() => void ask()}>
          {t('template.ask')}
        </button>
      </p>
      {data.value !== undefined && (
        <Found data={data.value} choose={(place) => insert(markup.current, `{{ ${place} }}`)} />
      )}
      <div ref={markup} class="markup">
        <Field
          label={t('template.markup')}
          hint={t('template.markupHint')}
          rows={12}
          value={boundText(draft, 'markup')}
        />
      </div>
    </div>
  );
};

const Found = ({ data, choose }: { readonly data: Data; readonly choose: (place: string) => void }) => (
  <div class="found-data">
    {data.problems.length > 0 && (
      <p class="warn" role="alert">
        {saidText(data.problems, '')}
      </p>
    )}
    {data.data !== null && (
      <>
        <p class="note">{t('template.clickHint')}</p>
        <DataTree data={data.data} choose={choose} />
      </>
    )}
  </div>
);

/** Puts a text where the cursor of the markup stands, as if it was typed there. */
function insert(around: HTMLElement | null, text: string): void {
  const area = around?.querySelector('textarea');
  if (area === null || area === undefined) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
  area.focus();
}
