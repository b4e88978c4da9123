/** The guest links of a paper: making one, whose address is shown once, their use, and revoking. */

import { useSignal } from '@preact/signals';
import type { Schemas } from '../../client/contract.ts';
import { type AnswerOf, type BodyOf, callApi } from '../ground/call-api.ts';
import { type Resource, useResource } from '../ground/resource.ts';
import { clockTime, fullTime } from '../ground/times.ts';
import { usePaperVersion } from '../ground/versions.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { CheckField } from '../parts/forms/choice-field.tsx';
import { confirmed } from '../parts/forms/confirm.tsx';
import { CopyField } from '../parts/forms/copy-field.tsx';
import { Field, Form } from '../parts/forms/field.tsx';
import { act } from '../parts/messages.tsx';
import { ReachWarning, useAddresses } from '../parts/reach.tsx';
import { ShareButton } from '../parts/share-button.tsx';

type GuestLinkShown = Schemas['GuestLink'];

interface LinksProps {
  readonly paperId: string;
}

type Links = Resource<readonly GuestLinkShown[]>;

/** A link that was just made, with the address that is shown once. */
type MadeLink = AnswerOf<'POST /papers/{paperId}/guest-links/'>;

/** Draws the section. */
export const GuestLinks = ({ paperId, changedAt }: LinksProps & { readonly changedAt: string }) => {
  const version = usePaperVersion(paperId);
  const read: Links = useResource(
    (signal) => callApi('GET /papers/{paperId}/guest-links/', { path: { paperId }, signal }),
    [paperId, changedAt, version],
  );
  const made = useSignal<MadeLink | undefined>(undefined);
  return (
    <Card id="guest-links" title={t('guests.title')} class="sharing" hint={t('guests.intro')} of={read}>
      {made.value !== undefined && <NewLink link={made.value} />}
      {read.value?.length === 0 && <p>{t('guests.none')}</p>}
      {read.value !== undefined && read.value.length > 0 && (
        <ul class="rows">
          {read.value.map((link) => (
            <LinkRow
              key={link.id}
              link={link}
              revoke={async () => {
                if (made.value?.id === link.id) made.value = undefined;
                await act(
                  () =>
                    callApi('DELETE /papers/{paperId}/guest-links/{linkId}', { path: { paperId, linkId: link.id } }),
                  t('guests.revoked', { name: link.name }),
                );
                await read.reload();
              }}
            />
          ))}
        </ul>
      )}
      <MakeLink
        paperId={paperId}
        made={(link) => {
          made.value = link;
          void read.reload();
        }}
      />
    </Card>
  );
};

/** The address of a link that was just made. It is nowhere else, so it stays until the page is left. */
const NewLink = ({ link: { name, url } }: { readonly link: MadeLink }) => (
  <div class="new-link" role="status">
    <p>
      <strong>{t('guests.made', { name })}</strong> {t('guests.once')}
    </p>
    <ReachWarning address={url} whom="people" />
    <CopyField label={t('guests.address')} value={url} />
    <ShareButton
      label={t('guests.share')}
      title={t('guests.shareTitle')}
      text={t('guests.shareText', { name })}
      url={url}
    />
  </div>
);

const LinkRow = ({ link, revoke }: { readonly link: GuestLinkShown; readonly revoke: () => Promise<void> }) => {
  const { name, state, used, maxPictures, usedAt, endsAt, showsResult } = link;
  const facts = [
    maxPictures === null ? t('guests.used', { count: used }) : t('guests.usedOf', { count: used, most: maxPictures }),
    usedAt === null ? '' : t('guests.usedAt', { time: clockTime(usedAt) }),
    endsAt === null ? '' : t('guests.endsAt', { time: clockTime(endsAt) }),
    showsResult ? t('guests.seesResult') : '',
  ];
  return (
    <li>
      <span class="who">
        <strong dir="auto">{name}</strong>{' '}
        <span class={state === 'active' ? 'note' : 'bad'}>{tCode('guests.state', state)}</span>
        <span class="note" title={usedAt === null ? undefined : fullTime(usedAt)}>
          {facts.filter(Boolean).join(' · ')}
        </span>
      </span>
      {(state === 'active' || state === 'used-up') && (
        <button
          type="button"
          class="danger"
          aria-label={t('guests.revokeTitle', { name })}
          onClick={async () => {
            const asked = {
              title: t('guests.revokeTitle', { name }),
              text: t('guests.revokeText'),
              yes: t('guests.revoke'),
            };
            if (await confirmed(asked)) await revoke();
          }}
        >
          {t('guests.revoke')}
        </button>
      )}
    </li>
  );
};

const MakeLink = ({ paperId, made }: LinksProps & { readonly made: (link: MadeLink) => void }) => {
  const [name, until, most] = [useSignal(''), useSignal(''), useSignal('')];
  const showsResult = useSignal(true);
  const addresses = useAddresses();
  const make = () =>
    act(async () => {
      const body: BodyOf<'POST /papers/{paperId}/guest-links/'> = {
        name: name.value.trim(),
        showsResult: showsResult.value,
        ...(until.value !== '' && { endsAt: endOf(until.value) }),
        ...(most.value !== '' && { maxPictures: Number(most.value) }),
      };
      made(await callApi('POST /papers/{paperId}/guest-links/', { path: { paperId }, body }));
      for (const field of [name, until, most]) field.value = '';
    });
  return (
    <Form class="paper-form" submit={make}>
      <h3>{t('guests.new')}</h3>
      <Field label={t('guests.name')} value={name} hint={t('guests.nameHint')} maxLength={100} required />
      <div class="entry">
        <Field label={t('guests.until')} type="date" value={until} />
        <Field label={t('guests.most')} type="number" value={most} />
      </div>
      <CheckField label={t('guests.showsResult')} value={showsResult} />
      <ReachWarning address={addresses.value?.pages} whom="people" />
      <div class="actions">
        <button type="submit" class="primary" disabled={name.value.trim() === ''}>
          {t('guests.make')}
        </button>
      </div>
    </Form>
  );
};

/** The end of a day by the clock of the person who chose it: a link until Sunday works on Sunday. */
function endOf(day: string): string {
  const end = new Date(`${day}T00:00`);
  end.setDate(end.getDate() + 1);
  return end.toISOString();
}
