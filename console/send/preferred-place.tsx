/** The place that somebody came from to send a picture there: a paper's page, or a frame's. */
import { computed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { havePapersCome } from '../ground/picture-papers.ts';
import { query } from '../ground/router.ts';
import { t } from '../ground/words.ts';
import { drafts } from '../parts/drafts/drafts.ts';
import { type Target, targets } from './targets.ts';

/** The target that the address names; undefined where it names none, or none that takes pictures. */
const preferred = computed<Target | undefined>(() => {
  const [paper, frame] = [query.value.get('paper'), query.value.get('frame')];
  if (paper !== null) return targets.value.find((target) => target.paper?.id === paper);
  return frame === null ? undefined : targets.value.find(({ id }) => id === `frame:${frame}`);
});

/** Chooses the place for the first picture, as long as no picture has any: a single frame needs no choice either. */
export function usePreferredPlace(): void {
  const place = preferred.value ?? (targets.value.length === 1 ? targets.value[0] : undefined);
  useEffect(() => {
    const [first] = drafts.value;
    if (place === undefined || first === undefined) return;
    if (drafts.value.every((draft) => draft.targets.peek().length === 0)) first.targets.value = [place.id];
  }, [drafts.value.length, place?.id]);
}

/** Says where the picture will go, before there is one. */
export const PreferredPlace: ComponentType<{ readonly isLoaded: boolean }> = ({ isLoaded }) => {
  const isAsked = query.value.has('paper') || query.value.has('frame');
  if (!isAsked || !isLoaded) return null;
  if (preferred.value !== undefined) {
    const { name, paper } = preferred.value;
    const title = query.value.has('paper') ? paper?.title : name;
    return drafts.value.length === 0 ? (
      <p role="status">{t('send.for', { name: title || t('frame.noName') })}</p>
    ) : null;
  }
  if (!havePapersCome.value) return null;
  return (
    <p class="warn" role="status">
      {t('send.forNone')}
    </p>
  );
};
