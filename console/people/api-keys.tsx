/** One's own API keys: made, shown once, and ended. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import { showsDetails } from '../ground/details.ts';
import { useResource } from '../ground/resource.ts';
import { query } from '../ground/router.ts';
import { mayWrite } from '../ground/session.ts';
import { relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { CopyField } from '../parts/forms/copy-field.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';
import { Reading } from '../parts/states.tsx';

type KeyShown = Schemas['ApiKey'];

/** The keys of the person who looks. */
export const ApiKeys = () => {
  const keys = useResource((signal) => callApi('GET /tokens/', { signal }), []);
  const [name, made] = [useSignal(''), useSignal<string | undefined>(undefined)];
  if (keys.value === undefined && keys.problem === undefined) return null;
  if (keys.problem !== undefined || keys.value === undefined) return <Reading of={keys} />;
  // A family needs none. A role that may not make keys, and has none, is offered nothing here.
  const isWanted = showsDetails.value || query.value.has('keys');
  if (!isWanted || (keys.value.length === 0 && !mayWrite.value)) return null;
  const make = async (): Promise<void> => {
    const done = await act(async () => {
      made.value = (await callApi('POST /tokens/', { body: { name: name.value.trim() } })).raw;
    }, t('keys.made'));
    if (!done) return;
    name.value = '';
    await keys.reload();
  };
  const end = async (key: KeyShown): Promise<void> => {
    const question = { title: t('keys.endTitle', { name: key.name }), text: t('keys.endText'), yes: t('keys.end') };
    if (!(await confirmed(question))) return;
    if (await act(() => callApi('DELETE /tokens/{tokenId}', { path: { tokenId: key.id } }), t('keys.ended')))
      await keys.reload();
  };
  return (
    <Card id="keys" title={t('keys.title')} hint={t('keys.hint')}>
      {made.value !== undefined && (
        <div class="warn">
          <p>{t('keys.once')}</p>
          <CopyField label={t('keys.value')} value={made.value} />
        </div>
      )}
      <ul class="rows">
        {keys.value.map((key) => (
          <li key={key.id}>
            <span>{key.name}</span>
            <span class="note">{t('keys.madeAt', { when: relativeTime(key.createdAt) })}</span>
            <button
              type="button"
              class="danger"
              aria-label={t('keys.endTitle', { name: key.name })}
              onClick={() => void end(key)}
            >
              {t('keys.end')}
            </button>
          </li>
        ))}
      </ul>
      {mayWrite.value && (
        <Form class="line-form" submit={make}>
          <Field label={t('keys.name')} value={name} maxLength={100} required />
          <button type="submit">{t('keys.make')}</button>
        </Form>
      )}
    </Card>
  );
};
