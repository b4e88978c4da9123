/** One frame on four pages: its picture, its settings, what is technical about it, and what hung on it. */
import { useSignal } from '@preact/signals';
import type { FleetDevice } from '../ground/fleet.ts';
import { hrefOf } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayWrite } from '../ground/session.ts';
import { now } from '../ground/times.ts';
import { t } from '../ground/words.ts';
import { placeLine } from '../parts/forms/frame-choices.ts';
import { nameOfFrame } from '../parts/frame-card.tsx';
import { troubleLine } from '../parts/frame-words.ts';
import { Icon } from '../parts/icon.tsx';
import { WallRecord } from '../parts/record/wall-record.tsx';
import { SimulatedMark } from '../parts/simulated-mark.tsx';
import { Loading, MissingScreen, ProblemBox } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { type FrameKnown, isPolled, useChanges, useFrame } from './frame/frame-state.ts';
import { PicturePage } from './frame/picture-page.tsx';
import { SettingsPage } from './frame/settings-page.tsx';
import { TechnicalPage } from './frame/technical-page.tsx';

/** The pages of a frame by the end of their address; the picture has none. */
const pages = ['picture', 'settings', 'technical', 'record'] as const;
type PageName = (typeof pages)[number];

/** The frame's pages; another frame begins with nothing of the one before. */
export const Frame: Screen = ({ rest: [id = '', end, more] }) => {
  const page = end === undefined ? 'picture' : pages.find((name) => name === end && name !== 'picture');
  if (page === undefined || more !== undefined) return <MissingScreen />;
  return <OneFrame key={id} id={id} page={page} />;
};

const OneFrame = ({ id, page }: { readonly id: string; readonly page: PageName }) => {
  const version = useChanges(id);
  const { value, problem, reload } = useFrame(id, version);
  const name = value === undefined ? t('frame.noName') : nameOfFrame(value.row);
  useTitle(page === 'picture' ? name : t('one.titleOf', { name, page: t(`one.page.${page}`) }));
  if (problem?.status === 404 || problem?.status === 400) return <Missing />;
  if (problem !== undefined && value === undefined) return <ProblemBox problem={problem} again={() => void reload()} />;
  if (value === undefined) return <Loading />;
  return (
    <>
      <Heading row={value.row} />
      <Pages id={id} current={page} />
      <FrameShown known={value} version={version} reload={reload} page={page} />
    </>
  );
};

const Missing = () => (
  <div class="empty">
    <h1>{t('one.missing')}</h1>
    <a class="button" href={hrefOf('frames')}>
      {t('missing.home')}
    </a>
  </div>
);

const Heading = ({ row }: { readonly row: FleetDevice }) => (
  <div class="heading one-heading">
    <a class="back" href={hrefOf('frames')}>
      <Icon name="back" />
      <span>{t('nav.frames')}</span>
    </a>
    <h1>{nameOfFrame(row)}</h1>
    <SimulatedMark device={row} />
    {row.place !== null && <p class="note">{placeLine(row)}</p>}
  </div>
);

/** Links to the pages, which stay in sight on a phone. The record is for those who see the whole organization. */
const Pages = ({ id, current }: { readonly id: string; readonly current: PageName }) => (
  <nav class="tabs" aria-label={t('one.pages')}>
    {pages
      .filter((name) => name !== 'record' || mayWrite.value)
      .map((name) => (
        <a
          key={name}
          href={hrefOf(name === 'picture' ? `frames/${id}` : `frames/${id}/${name}`)}
          aria-current={name === current ? 'page' : undefined}
        >
          {t(`one.page.${name}`)}
        </a>
      ))}
  </nav>
);

/** How long an adopted frame may take to call: it asks every quarter of an hour, and may be a little late. */
const comesWithinMs = 20 * 60_000;

/** True for a frame that polls and that was adopted a moment ago: it comes by itself. */
const comesFirst = ({ row: { serial, lastSeenAt, simulated }, device: { createdAt } }: FrameKnown): boolean =>
  lastSeenAt === null && !simulated && isPolled(serial) && now.value - new Date(createdAt).getTime() < comesWithinMs;

/** Draws the record of what has a frame. */
const RecordPage = ({ serial }: { readonly serial: string | null }) =>
  serial === null ? <p class="note">{t('record.none')}</p> : <WallRecord frame={serial} />;

const FrameShown = ({
  known,
  version,
  reload,
  page,
}: {
  readonly known: FrameKnown;
  readonly version: number;
  readonly reload: () => Promise<void>;
  readonly page: PageName;
}) => {
  const { row } = known;
  const isComing = comesFirst(known);
  const trouble = troubleLine(row);
  // What was typed there stays while somebody looks at the other pages.
  const hasSettings = useSignal(false);
  if (page === 'settings') hasSettings.value = true;
  return (
    <>
      {trouble !== undefined && (
        <p class={row.trouble?.level === 'alarm' ? 'problem' : 'warn'} role="status">
          {trouble}
        </p>
      )}
      {isComing && (
        <p class="first-picture" role="status">
          {t(row.paper === null ? 'adopt.firstPictureOf' : 'adopt.firstPicture')}
        </p>
      )}
      {page === 'picture' && <PicturePage known={known} reload={reload} />}
      {page === 'settings' && !mayWrite.value && <p class="note">{t('one.mayNotSet')}</p>}
      {mayWrite.value && hasSettings.value && (
        <div hidden={page !== 'settings'}>
          <SettingsPage known={known} reload={reload} />
        </div>
      )}
      {page === 'technical' && <TechnicalPage known={known} version={version} />}
      {page === 'record' && !mayWrite.value && <p class="note">{t('one.mayNotRecord')}</p>}
      {page === 'record' && mayWrite.value && <RecordPage serial={row.serial} />}
    </>
  );
};
