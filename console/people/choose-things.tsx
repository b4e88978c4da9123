/** Choosing what somebody sees: frames, and papers where their role shows papers. */
import { useEffect } from 'preact/hooks';
import { fleet, fleetState, followFleet } from '../ground/fleet.ts';
import { followPapers, framesShowing, type Paper, papers, papersState } from '../ground/paper-book.ts';
import { hrefOf } from '../ground/router.ts';
import type { MemberRole } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import type { LinkedThing } from '../parts/link-people.ts';
import { Loading } from '../parts/states.tsx';
import { type Choosable, ChooseList } from './choose-list.tsx';

/** The chosen frames and papers, by ids. */
export interface Chosen {
  readonly devices: ReadonlySet<string>;
  readonly papers: ReadonlySet<string>;
}

/** Draws the lists. */
export const ChooseThings = ({
  role,
  chosen,
  choose,
}: {
  readonly role: MemberRole;
  readonly chosen: Chosen;
  readonly choose: (thing: Pick<LinkedThing, 'kind' | 'id' | 'name'>, sees: boolean) => void;
}) => {
  useEffect(() => {
    followFleet();
    followPapers();
  }, []);
  if (!fleetState.value.isLoaded || !papersState.value.isLoaded) return <Loading />;
  const frames: Choosable[] = [...fleet.value.values()].map(({ id, name }) => ({
    id,
    name: name || t('frame.noName'),
  }));
  const isOnChosen = ({ id, deviceId }: Paper): boolean =>
    chosen.devices.has(deviceId ?? '') || framesShowing(id).some((device) => chosen.devices.has(device.id));
  // What a chosen frame shows, or could show, is seen with it.
  const all: Choosable[] = [...papers.value.values()]
    .filter((paper) => chosen.papers.has(paper.id) || !isOnChosen(paper))
    .map(({ id, title }) => ({ id, name: title }));
  if (frames.length === 0 && papers.value.size === 0)
    return (
      <p class="note">
        {t('people.nothingToSee')} <a href={hrefOf('frames/add')}>{t('people.addFrame')}</a>
      </p>
    );
  return (
    <div class="choose-things">
      <ChooseList
        label={t('people.frames')}
        search={t('people.searchFrames')}
        items={frames}
        chosen={chosen.devices}
        choose={({ id, name }, sees) => choose({ kind: 'devices', id, name }, sees)}
      />
      {role === 'patient' && all.length > 0 && (
        <ChooseList
          label={t('people.papers')}
          search={t('people.searchPapers')}
          items={all}
          chosen={chosen.papers}
          choose={({ id, name }, sees) => choose({ kind: 'papers', id, name }, sees)}
        />
      )}
    </div>
  );
};
