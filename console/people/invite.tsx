/** Inviting somebody: with which role, and what they see from the beginning. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { type BodyOf, callApi } from '../ground/call-api.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { query } from '../ground/router.ts';
import { type MemberRole, organizationId } from '../ground/session.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { ChoiceField } from '../parts/forms/choice-field.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';
import { ChooseThings, type Chosen } from './choose-things.tsx';
import { memberRoles, seesLinksAlone } from './member-roles.ts';

type UserAnswer = Schemas['User'];

const nothing: Chosen = { devices: new Set(), papers: new Set() };

/** Draws the form. A frame that the address names is chosen already: anyone who comes from its page wants it to be seen. */
export const Invite = ({ users }: { readonly users: Resource<readonly UserAnswer[]> }) => {
  const frame = query.value.get('frame');
  const [email, role] = [useSignal(''), useSignal<MemberRole>(frame === null ? 'user' : 'patient')];
  const chosen = useSignal<Chosen>(frame === null ? nothing : { ...nothing, devices: new Set([frame]) });
  const ways = useResource((signal) => callApi('GET /sessions/ways', { signal }), []);
  const isLinked = seesLinksAlone(role.value);
  const invite = async (): Promise<void> => {
    const { devices, papers } = chosen.value;
    const body: BodyOf<'POST /users/'> = {
      organization: organizationId.value,
      email: email.value.trim(),
      role: role.value,
      ...(isLinked && { devices: [...devices], papers: role.value === 'patient' ? [...papers] : [] }),
    };
    if (!(await act(() => callApi('POST /users/', { body }), t('people.inviteMade')))) return;
    email.value = '';
    chosen.value = nothing;
    await users.reload();
  };
  return (
    <Card id="invite" title={t('people.invite')} hint={t('people.inviteHint')}>
      <Form submit={invite}>
        <div class="line-form invite-fields">
          <Field
            label={t('people.email')}
            type="email"
            value={email}
            hint={ways.value && t(ways.value.mail ? 'people.emailHintMail' : 'people.emailHint')}
            required
          />
          <ChoiceField
            label={t('people.role')}
            value={role}
            choices={memberRoles.map((name) => [name, tCode('role', name)])}
            hint={tCode('people.theyMay', role.value)}
          />
        </div>
        {isLinked && (
          <ChooseThings
            role={role.value}
            chosen={chosen.value}
            choose={({ kind, id }, sees) => {
              const ids = new Set(chosen.peek()[kind]);
              if (sees) ids.add(id);
              else ids.delete(id);
              chosen.value = { ...chosen.peek(), [kind]: ids };
            }}
          />
        )}
        <button type="submit" class="primary">
          {t('people.inviteDo')}
        </button>
      </Form>
    </Card>
  );
};
