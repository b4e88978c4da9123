/** One's own passkeys: adding one, their use, removing them. */
import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { callApi } from '../ground/call-api.ts';
import { passkeyTrouble } from '../ground/passkeys.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { relativeTime } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { addPasskey } from '../parts/add-passkey.ts';
import { Card } from '../parts/card.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { Field } from '../parts/forms/field.tsx';
import { FormDialog } from '../parts/forms/form-dialog.tsx';
import { act, say } from '../parts/messages.tsx';
import { accountChanges, accountVersion } from './account-version.ts';

type Passkey = Schemas['Passkey'];

/** Draws the section. Where passkeys do not work it says why, and what to do. */
export const Passkeys = () => {
  const passkeys = useResource((signal) => callApi('GET /passkeys/', { signal }), [accountVersion()]);
  const trouble = passkeyTrouble();
  return (
    <Card id="passkeys" title={t('passkeys.title')} hint={t('passkeys.intro')} of={passkeys}>
      {passkeys.value?.length === 0 && <p>{t('passkeys.none')}</p>}
      {passkeys.value !== undefined && passkeys.value.length > 0 && (
        <ul class="rows">
          {passkeys.value.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} all={passkeys} />
          ))}
        </ul>
      )}
      {trouble === undefined ? <AddPasskey all={passkeys} /> : <p class="warn">{t(`passkeys.trouble.${trouble}`)}</p>}
    </Card>
  );
};

interface AllPasskeys {
  readonly all: Resource<readonly Passkey[]>;
}

const AddPasskey = ({ all }: AllPasskeys) => {
  const isBusy = useSignal(false);
  const add = async (): Promise<void> => {
    isBusy.value = true;
    await act(async () => {
      const outcome = await addPasskey();
      if (outcome !== 'left') say(t(`passkeys.${outcome}`));
    });
    await all.reload();
    isBusy.value = false;
  };
  return (
    <button type="button" disabled={isBusy.value} onClick={() => void add()}>
      {t('passkeys.add')}
    </button>
  );
};

const PasskeyRow = ({ passkey, all }: AllPasskeys & { readonly passkey: Passkey }) => {
  const { id, name, address, worksHere, createdAt, usedAt, blockedAt, endsWithKey } = passkey;
  const remove = async (): Promise<void> => {
    const isLast = all.value?.length === 1;
    const question = {
      title: t('passkeys.removeTitle', { name }),
      text: t(isLast ? 'passkeys.removeLast' : 'passkeys.removeText'),
      yes: t('passkeys.remove'),
    };
    if (!(await confirmed(question))) return;
    await act(() => callApi('DELETE /passkeys/{passkeyId}', { path: { passkeyId: id } }), t('passkeys.removed'));
    accountChanges.value += 1;
  };
  const isNamed = useSignal(false);
  return (
    <li>
      <span>
        <strong dir="auto">{name}</strong>
        {!worksHere && <span class="note"> {t('passkeys.elsewhere', { address })}</span>}
        {endsWithKey !== null && <span class="note"> {t('passkeys.endsWithKey', { name: endsWithKey })}</span>}
        {blockedAt !== null && <span class="bad"> {t('passkeys.blocked')}</span>}
      </span>
      <span class="note">
        {usedAt === null
          ? t('passkeys.unused', { when: relativeTime(createdAt) })
          : t('account.used', { when: relativeTime(usedAt) })}
      </span>
      <button
        type="button"
        aria-label={t('passkeys.renameNamed', { name })}
        onClick={() => {
          isNamed.value = true;
        }}
      >
        {t('passkeys.rename')}
      </button>
      {isNamed.value && (
        <RenamePasskey
          passkey={passkey}
          all={all}
          close={() => {
            isNamed.value = false;
          }}
        />
      )}
      <button
        type="button"
        class="danger"
        aria-label={t('passkeys.removeTitle', { name })}
        onClick={() => void remove()}
      >
        {t('passkeys.remove')}
      </button>
    </li>
  );
};

interface RenameProps extends AllPasskeys {
  readonly passkey: Passkey;
  readonly close: () => void;
}

const maxName = 80;

const RenamePasskey = ({ passkey, all, close }: RenameProps) => {
  const name = useSignal(passkey.name);
  const typed = name.value.trim();
  const rename = async (): Promise<void> => {
    const call = () =>
      callApi('PATCH /passkeys/{passkeyId}', { path: { passkeyId: passkey.id }, body: { name: typed } });
    if (!(await act(call, t('passkeys.renamed', { name: typed })))) return;
    close();
    await all.reload();
  };
  return (
    <FormDialog
      title={t('passkeys.renameNamed', { name: passkey.name })}
      yes={t('state.save')}
      isEmpty={typed === '' || typed === passkey.name}
      submit={rename}
      close={close}
    >
      <Field label={t('passkeys.name')} hint={t('passkeys.nameHint')} value={name} maxLength={maxName} dir="auto" />
    </FormDialog>
  );
};
