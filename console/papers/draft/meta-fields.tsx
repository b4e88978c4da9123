/** Fields of a paper's meta. */
import { traitsOf } from '../../ground/paper-kinds.ts';
import { t } from '../../ground/words.ts';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { Field, type FieldProps } from '../../parts/forms/field.tsx';
import type { PaperDraft } from './paper-draft.ts';

interface MetaFieldProps extends Omit<FieldProps, 'value'> {
  readonly draft: PaperDraft;
  readonly field: string;
}

/** A labelled field; what is emptied leaves the meta. */
export const MetaField = ({ draft, field, ...more }: MetaFieldProps) => (
  <Field {...more} dir="auto" value={draft.typed(field, more.type)} />
);

/** The field that names a paper of a kind without drawing anything. */
export const nameField = (kind: string): 'name' | 'title' => (traitsOf(kind).drawsTitle ? 'name' : 'title');

const zones = Intl.supportedValuesOf('timeZone');

/** The fields that every kind has. */
export const CommonFields = ({ draft }: { readonly draft: PaperDraft }) => {
  const { kind } = draft.base.value;
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
          <ChoiceField
            label={t('papers.orientation')}
            value={draft.typed('orientation')}
            choices={[
              ['', t('papers.orientation.frame')],
              ['landscape', t('papers.orientation.landscape')],
              ['portrait', t('papers.orientation.portrait')],
            ]}
          />
          <MetaField draft={draft} field="language" label={t('papers.language')} placeholder="en-GB" />
          <MetaField draft={draft} field="timezone" label={t('papers.timezone')} placeholder="UTC" list="zones" />
          <datalist id="zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
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
