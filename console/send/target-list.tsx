/** Where a picture goes: frames and papers to tick, each with what will happen there. */
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { fleet } from '../ground/fleet.ts';
import { kindName } from '../ground/paper-kinds.ts';
import { hrefOf } from '../ground/router.ts';
import { t } from '../ground/words.ts';
import { type Draft, drafts } from '../parts/drafts/drafts.ts';
import { atOnce, beginTogether, type ShowTimes } from '../parts/drafts/show-times.ts';
import { type Target, targets } from './targets.ts';

/** More than this many places get a search, and are shown as far as it narrows them. */
const fewTargets = 8;
const maxShown = 50;

/** Draws the list for a picture. */
export const TargetList: ComponentType<{ readonly draft: Draft }> = ({ draft }) => {
  const words = useSignal('');
  const all = targets.value;
  const chosen = draft.targets.value;
  if (all.length === 0) {
    return (
      <p class="warn">
        {t('send.noTargets')} <a href={hrefOf('frames')}>{t('missing.home')}</a>
      </p>
    );
  }
  const wanted = words.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(({ id, name }) => {
    const text = name.toLocaleLowerCase();
    return chosen.includes(id) || wanted.every((word) => text.includes(word));
  });
  return (
    <fieldset class="targets">
      <legend>{t('send.where')}</legend>
      {all.length > fewTargets && (
        <input
          type="search"
          aria-label={t('send.searchTargets')}
          placeholder={t('send.searchTargets')}
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
      )}
      <ul>
        {found.slice(0, maxShown).map((target) => (
          <TargetRow key={target.id} target={target} draft={draft} />
        ))}
      </ul>
      {found.length > maxShown && <p class="note">{t('send.moreTargets', { count: found.length - maxShown })}</p>}
    </fieldset>
  );
};

const TargetRow: ComponentType<{ readonly target: Target; readonly draft: Draft }> = ({ target, draft }) => {
  const isChosen = draft.targets.value.includes(target.id);
  const rival = isChosen ? rivalOf(target, draft) : undefined;
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          onChange={() => {
            const others = draft.targets.peek().filter((id) => id !== target.id);
            draft.targets.value = isChosen ? others : [...others, target.id];
          }}
        />
        <span>
          <span class="name">{target.name === '' ? t('frame.noName') : target.name}</span>
          <span class="note">{whatHappens(target, draft.times.value)}</span>
          {rival !== undefined && <span class="rival">{t('send.rival', { name: rival.name })}</span>}
        </span>
      </label>
    </li>
  );
};

/** Says what becomes of the picture there; one that ends leaves everything as it was. */
export function whatHappens({ id, paper, covers, frames, deviceId }: Target, times: ShowTimes = atOnce): string {
  if (paper?.isAlbum === true) return t('send.toAlbum', { paper: paper.title });
  if (times.ends) return t('send.comesBack');
  if (id.startsWith('paper:')) return t('send.toPaper');
  if (paper === null) return covers === null ? t('send.ownImage') : t('send.covers', { kind: kindName(covers) });
  const others = frames.filter((device) => device !== deviceId).map((device) => fleet.value.get(device)?.name ?? '');
  if (others.length === 0) return t('send.replaces', { paper: paper.title });
  return t('send.replacesAlso', { paper: paper.title, others: others.join(', ') });
}

/** Another picture that is to go to the same glass or paper: only one of the two would stay. An album keeps both. */
export function rivalOf(target: Target, draft: Draft): Draft | undefined {
  const places = new Set(placesOf(target));
  return drafts.value.find(
    (other) =>
      other !== draft &&
      beginTogether(other.times.value, draft.times.value) &&
      other.targets.value.some((id) => {
        const theirs = targets.value.find((one) => one.id === id);
        return theirs !== undefined && placesOf(theirs).some((place) => places.has(place));
      }),
  );
}

const placesOf = ({ frames, paper }: Target): readonly string[] =>
  paper?.isAlbum === true ? [] : [...frames, ...(paper === null ? [] : [paper.id])];
