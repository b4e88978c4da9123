/** The name of the organization. */
import { useSignal } from '@preact/signals';
import { type BodyOf, callApi } from '../ground/call-api.ts';
import { findSession, membership, organizationId } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';

/** Draws the form. */
export const Rename = () => {
  const organization = membership.value?.organization;
  const name = useSignal(organization?.name ?? '');
  const rename = async (): Promise<void> => {
    const body: BodyOf<'PATCH /organizations/{organizationId}'> = {
      organization: organizationId.value,
      name: name.value.trim(),
    };
    const call = () =>
      callApi('PATCH /organizations/{organizationId}', { path: { organizationId: organizationId.value }, body });
    if (await act(call, t('people.renamed'))) await findSession();
  };
  return (
    <Card id="rename" title={t('people.organization')}>
      <Form class="line-form" submit={rename}>
        <Field label={t('people.organizationName')} value={name} maxLength={200} required />
        <button type="submit" disabled={name.value.trim() === '' || name.value === organization?.name}>
          {t('state.save')}
        </button>
      </Form>
    </Card>
  );
};
