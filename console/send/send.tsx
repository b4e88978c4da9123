/** Sending pictures: for whom, which, how they are cut, and then on their way to the wall. */
import { useEffect } from 'preact/hooks';
import { fleetState, loadFleet } from '../ground/fleet.ts';
import { query, setQuery } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayWrite } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { addFiles, draftsInHand } from '../parts/drafts/drafts.ts';
import { FilePicker, RefusedFiles, useFiles } from '../parts/drafts/file-picker.tsx';
import { say } from '../parts/messages.tsx';
import { EmptyState, Loading, ProblemBox } from '../parts/states.tsx';
import { TimedList } from '../parts/timed-list.tsx';
import { useTitle } from '../parts/title.ts';
import { followDrafts } from './follow-drafts.ts';
import { PlaceTiles } from './place-tiles.tsx';
import { isPreferredMissing, usePreferredPlaces } from './preferred-place.ts';
import { SendBar } from './send-bar.tsx';
import { SendingList } from './sending-list.tsx';
import { takeShared } from './shared-pictures.ts';
import { draftAtWork, Workbench } from './workbench.tsx';

/** The page. */
export const Send: Screen = () => {
  useTitle(t('nav.send'));
  useEffect(followDrafts, []);
  useEffect(() => void takeWhatWasShared(), []);
  const isOver = useFiles();
  if (!mayWrite.value) {
    return (
      <>
        <h1>{t('nav.send')}</h1>
        <EmptyState title={t('send.mayNot')} />
      </>
    );
  }
  const { isLoaded, problem } = fleetState.value;
  return (
    <div class={isOver.value ? 'send over' : 'send'}>
      <div>
        <h1>{t('nav.send')}</h1>
        <p class="note">{t('send.intro')}</p>
      </div>
      {problem !== undefined && !isLoaded && <ProblemBox problem={problem} again={() => void loadFleet()} />}
      {isLoaded ? <Steps /> : problem === undefined && <Loading />}
      <SendingList />
      <TimedList />
    </div>
  );
};

/** Opens pictures that came by the phone's share menu. */
async function takeWhatWasShared(): Promise<void> {
  const how = query.peek().get('shared');
  const files = await takeShared().catch(() => []);
  if (how !== null) {
    setQuery({ shared: undefined });
    if (files.length === 0) say(t('send.shareMissed'), { isProblem: true });
  }
  await addFiles(files);
}

const Steps = () => {
  usePreferredPlaces();
  const draft = draftAtWork();
  const count = draftsInHand().length;
  return (
    <>
      {isPreferredMissing() && (
        <p class="warn" role="status">
          {t('send.forNone')}
        </p>
      )}
      <PlaceTiles draft={draft} count={count} />
      <FilePicker isSmall={count > 0} />
      <RefusedFiles />
      {draft !== undefined && <Workbench draft={draft} />}
      {draft !== undefined && <SendBar />}
    </>
  );
};
