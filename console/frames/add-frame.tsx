/** Adding a frame: which one it is, where it hangs, and its first wake. */

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { hrefOf, query } from '../ground/router.ts';
import type { Screen } from '../ground/screen.ts';
import { mayWrite } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/states.tsx';
import { useTitle } from '../parts/title.ts';
import { AdoptFrames } from './add/adopt-frames.tsx';
import { AddBySerial } from './add/by-serial.tsx';
import { type AddedFrame, FirstWake } from './add/first-wake.tsx';
import { AddOffline } from './add/offline-frame.tsx';
import { AddPlain } from './add/plain-frame.tsx';
import { AddSimulated } from './add/simulated-frame.tsx';
import { isOpenWay, type Way, Ways, ways } from './add/ways.tsx';

const forms: Readonly<Record<Way, ComponentType<{ readonly done: (added: AddedFrame) => void }>>> = {
  serial: AddBySerial,
  offline: AddOffline,
  asks: AdoptFrames,
  plain: AddPlain,
  simulated: AddSimulated,
};

/** Draws the page; the chosen way is part of the address, so that a reload and the back button keep it. */
export const AddFrame: Screen = () => {
  const way = ways.find((one) => one === query.value.get('way') && isOpenWay(one));
  const title = way === undefined ? t('add.title') : t(`add.way.${way}`);
  useTitle(title);
  const back = way === undefined ? (['frames', t('nav.frames')] as const) : (['frames/add', t('add.which')] as const);
  return (
    <>
      <div class="heading one-heading">
        <a class="back" href={hrefOf(back[0])}>
          <Icon name="back" />
          <span>{back[1]}</span>
        </a>
        <h1>{title}</h1>
      </div>
      {!mayWrite.value && <EmptyState title={t('add.mayNot')} />}
      {mayWrite.value && way === undefined && <Ways />}
      {mayWrite.value && way !== undefined && <AddOne key={way} way={way} />}
    </>
  );
};

const AddOne = ({ way }: { readonly way: Way }) => {
  const added = useSignal<AddedFrame | undefined>(undefined);
  const set = (what: AddedFrame | undefined): void => {
    added.value = what;
  };
  const Chosen = forms[way];
  if (added.value === undefined) return <Chosen done={set} />;
  return <FirstWake {...added.value} another={() => set(undefined)} />;
};
