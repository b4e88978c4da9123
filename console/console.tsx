/** The frame around every screen: navigation, the session, messages. */
import { useEffect } from 'preact/hooks';
import { type EntryKind, entryKind } from './ground/entry.ts';
import { watchFocus } from './ground/keep-focus.ts';
import { isLive } from './ground/live.ts';
import { followLinks, hrefOf, isPublicPlace, query, route } from './ground/router.ts';
import {
  chooseOrganization,
  findSession,
  mayWrite,
  me,
  membership,
  seesPapers,
  sessionProblem,
} from './ground/session.ts';
import { keptTyped } from './ground/typed-words.ts';
import { type TextKey, t } from './ground/words.ts';
import { ConfirmDialog } from './parts/forms/confirm.tsx';
import { DetailsSwitch } from './parts/forms/details-switch.tsx';
import { Icon } from './parts/icon.tsx';
import { later } from './parts/later.tsx';
import { Messages } from './parts/messages.tsx';
import { StaleLine } from './parts/stale-line.tsx';
import { Loading, ProblemBox } from './parts/states.tsx';
import { useCoverTitle } from './parts/title.ts';
import { ScreenOf } from './screens.tsx';
import { PasskeyOffer } from './sign-in/passkey-offer.tsx';
import { withSentences } from './texts.ts';

const Join = later(async () => (await withSentences(() => import('./sign-in/join.tsx'))).Join);
const NoMembership = later(async () => (await withSentences(() => import('./sign-in/no-membership.tsx'))).NoMembership);
const OpenedLink = later(async () => (await withSentences(() => import('./sign-in/opened-link.tsx'))).OpenedLink);
const PairedDevice = later(async () => (await withSentences(() => import('./sign-in/paired-device.tsx'))).PairedDevice);
const SignIn = later(async () => (await withSentences(() => import('./sign-in/sign-in.tsx'))).SignIn);

/** Draws the console. */
export const Console = () => {
  useEffect(() => {
    document.addEventListener('click', followLinks);
    return () => document.removeEventListener('click', followLinks);
  }, []);
  useEffect(watchFocus, []);
  const account = me.value?.account.id;
  useEffect(() => {
    if (account === undefined || keptTyped() === undefined) return;
    void import('./sign-in/put-back.ts').then(({ putBackTyped }) => putBackTyped(account));
  }, [account]);
  if (isPublicPlace(route.value)) return <PublicFrame />;
  if (me.value === undefined) {
    const problem = sessionProblem.value;
    if (problem === undefined) return <Loading />;
    return (
      <main class="sign-in">
        <h1>Papergate</h1>
        <ProblemBox problem={problem} again={() => void findSession()} />
      </main>
    );
  }
  const kind = entryKind();
  const isMember = (me.value?.memberships.length ?? 0) > 0;
  const isCovered = !isMember || kind !== undefined;
  // A session that ended leaves the screen as it is, with what was typed, below the login.
  return (
    <>
      <div class="console" inert={isCovered} hidden={isCovered}>
        <a class="skip" href="#content">
          {t('nav.skip')}
        </a>
        <Navigation />
        <main id="content" tabIndex={-1}>
          <StaleLine />
          {isMember && <PasskeyOffer />}
          {query.value.has('steps') && <BackToSteps />}
          <ScreenOf path={route.value} />
        </main>
      </div>
      {isCovered && <Cover kind={kind} />}
      <ConfirmDialog />
      <Messages />
    </>
  );
};

/** Draws the screens for somebody without a session: one page, and nothing of the console around it. */
const PublicFrame = () => (
  <>
    <ScreenOf path={route.value} />
    <ConfirmDialog />
    <Messages />
  </>
);

/** Covers the screens of somebody who is not signed in, was invited, or is not a member. */
const Cover = ({ kind }: { readonly kind: EntryKind | undefined }) => {
  useCoverTitle(t(kind === 'invite' ? 'join.title' : me.value ? 'noMembership.title' : 'signIn.title'));
  if (kind === 'invite') return <Join />;
  if (kind === 'link') return <OpenedLink />;
  if (kind === 'pair') return <PairedDevice />;
  return me.value === null ? <SignIn /> : <NoMembership />;
};

/** Anyone who came here from the first steps goes back to them. */
const BackToSteps = () => (
  <a class="back" href={hrefOf('frames')}>
    <Icon name="back" />
    <span>{t('nav.backToSteps')}</span>
  </a>
);

const places: readonly (readonly [place: string, label: TextKey, icon: string])[] = [
  ['frames', 'nav.frames', 'frames'],
  ['send', 'nav.send', 'send'],
  ['papers', 'nav.papers', 'papers'],
  ['people', 'nav.people', 'people'],
  ['service', 'nav.service', 'service'],
];

const Navigation = () => {
  const shown = places.filter(
    ([place]) =>
      ((place !== 'send' && place !== 'service') || mayWrite.value) && (place !== 'papers' || seesPapers.value),
  );
  return (
    <header class="nav">
      <a class="brand" href={hrefOf('frames')}>
        <Icon name="brand" />
        <span>Papergate</span>
      </a>
      <nav aria-label={t('nav.main')}>
        {shown.map(([place, label, icon]) => (
          <a
            key={place}
            href={hrefOf(place)}
            aria-current={(route.value[0] ?? 'frames') === place ? 'page' : undefined}
          >
            <Icon name={icon} />
            <span>{t(label)}</span>
          </a>
        ))}
      </nav>
      <div class="nav-foot">
        <Organizations />
        <a href={hrefOf('account')} aria-current={route.value[0] === 'account' ? 'page' : undefined}>
          <Icon name="account" />
          <span>{membership.value?.name ?? t('nav.account')}</span>
        </a>
        <DetailsSwitch />
        <span class={isLive.value ? 'live' : 'live off'} role="status">
          {isLive.value ? t('nav.live') : t('nav.notLive')}
        </span>
      </div>
    </header>
  );
};

const Organizations = () => {
  const all = me.value?.memberships ?? [];
  if (all.length < 2) return <span class="organization">{all[0]?.organization.name}</span>;
  return (
    <label>
      <span class="visually-hidden">{t('nav.organization')}</span>
      <select
        value={membership.value?.organization.id}
        onChange={(event) => chooseOrganization(event.currentTarget.value)}
      >
        {all.map(({ organization }) => (
          <option key={organization.id} value={organization.id}>
            {organization.name}
          </option>
        ))}
      </select>
    </label>
  );
};
