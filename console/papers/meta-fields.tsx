/** Fields of a paper's meta. */
import type { ComponentType } from 'preact';
import { useId } from 'preact/hooks';
import { t } from '../ground/words.ts';
import type { PaperDraft } from './paper-draft.ts';

interface MetaFieldProps {
  readonly draft: PaperDraft;
  readonly field: string;
  readonly label: string;
  readonly type?: 'text' | 'url' | 'number';
  readonly hint?: string;
  readonly rows?: number;
  readonly min?: number;
  readonly max?: number;
  readonly placeholder?: string;
  /** What may be chosen from while typing. */
  readonly list?: readonly string[];
}

/** A labelled field; what is emptied leaves the meta. */
export const MetaField: ComponentType<MetaFieldProps> = ({
  draft,
  field,
  label,
  type = 'text',
  hint,
  rows,
  list,
  ...more
}) => {
  const id = useId();
  const typed = (text: string): void => {
    const value = type === 'number' && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    draft.set(field, value === '' ? undefined : value);
  };
  const shared = { id, 'aria-describedby': hint === undefined ? undefined : `${id}-hint`, value: draft.text(field) };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          {...more}
          dir="auto"
          type={type as 'text'}
          list={list === undefined ? undefined : `${id}-list`}
          onInput={(event) => typed(event.currentTarget.value)}
        />
      ) : (
        <textarea {...shared} dir="auto" rows={rows} onInput={(event) => typed(event.currentTarget.value)} />
      )}
      {list !== undefined && (
        <datalist id={`${id}-list`}>
          {list.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
};

/** The kinds that draw `meta.title` as a heading. Their papers have another name for lists. */
const drawsTitle: readonly string[] = ['text', 'calendar', 'printer'];

/** The field that names a paper of a kind without drawing anything. */
export const nameField = (kind: string): 'name' | 'title' => (drawsTitle.includes(kind) ? 'name' : 'title');

const zones = Intl.supportedValuesOf('timeZone');

/** The fields that every kind has. */
export const CommonFields: ComponentType<{ readonly draft: PaperDraft }> = ({ draft }) => {
  const { kind } = draft.base.value;
  const orientation = draft.text('orientation');
  return (
    <>
      {nameField(kind) === 'name' && (
        <MetaField draft={draft} field="title" label={t('papers.heading')} hint={t('papers.headingHint')} />
      )}
      <MetaField
        draft={draft}
        field={nameField(kind)}
        label={t('papers.name')}
        {...(nameField(kind) === 'name' && { hint: t('papers.nameHint') })}
      />
      <details>
        <summary>{t('papers.more')}</summary>
        <div class="paper-form">
          <label class="field">
            <span>{t('papers.orientation')}</span>
            <select
              value={orientation}
              onChange={(event) => draft.set('orientation', event.currentTarget.value || undefined)}
            >
              <option value="">{t('papers.orientation.frame')}</option>
              <option value="landscape">{t('papers.orientation.landscape')}</option>
              <option value="portrait">{t('papers.orientation.portrait')}</option>
            </select>
          </label>
          <MetaField draft={draft} field="language" label={t('papers.language')} placeholder="en-GB" />
          <MetaField draft={draft} field="timezone" label={t('papers.timezone')} placeholder="UTC" list={zones} />
          <MetaField
            draft={draft}
            field="schedule"
            label={t('papers.schedule')}
            hint={t('papers.scheduleHint')}
            placeholder="0 6 * * *"
          />
        </div>
      </details>
    </>
  );
};
