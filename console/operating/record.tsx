/** The record of every frame that the organization has or had, and for how long it is kept. */
import { useSignal } from '@preact/signals';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { mayManage, organizationId } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';
import { WallRecord } from '../parts/record/wall-record.tsx';

type RecordShown = AnswerOf<'GET /organizations/{organizationId}/record'>;

/** Reads what is decided about the record, and the service level. */
export const useRecordSettings = () => {
  const path = { organizationId: organizationId.value };
  return useResource<RecordShown>(
    (signal) => callApi('GET /organizations/{organizationId}/record', { path, signal }),
    [path.organizationId],
  );
};

/** Draws the page. */
export const RecordOfAll = () => {
  const settings = useRecordSettings();
  return (
    <>
      <WallRecord />
      <Card id="record-kept" title={t('record.kept')} hint={t('record.keptHint')} of={settings}>
        {settings.value !== undefined && <Kept settings={settings.value} />}
      </Card>
    </>
  );
};

const Kept = ({ settings }: { readonly settings: RecordShown }) => {
  const years = useSignal(String(settings.keepYears));
  const target = useSignal(String(settings.level.target));
  const change = (): Promise<boolean> =>
    act(
      () =>
        callApi('PATCH /organizations/{organizationId}/record', {
          path: { organizationId: organizationId.value },
          body: { keepYears: Number(years.value), target: Number(target.value) },
        }),
      t('record.changed'),
    );
  return (
    <>
      {!mayManage.value && <p>{t('record.years', { count: settings.keepYears })}</p>}
      {mayManage.value && (
        <Form class="line-form" submit={change}>
          <Field label={t('record.keepYears')} value={years} type="number" min={1} max={30} required />
          <Field label={t('level.target')} value={target} type="number" min={50} max={99} required />
          <button type="submit">{t('record.change')}</button>
        </Form>
      )}
      {settings.publicKeys.map(({ key }) => (
        <p key={key} class="note">
          {t('record.key')} <code>{key}</code>
        </p>
      ))}
    </>
  );
};
