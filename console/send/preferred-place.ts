/** The places that are chosen at the beginning: the one that somebody came from, else those of last time. */
import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fleetState } from '../ground/fleet.ts';
import { havePapersCome } from '../ground/picture-papers.ts';
import { query } from '../ground/router.ts';
import { organizationId } from '../ground/session.ts';
import { commonPlaces, isForEach, rememberedPlaces } from './places.ts';
import { type Target, targets } from './targets.ts';

/** The target that the address names; undefined where it names none, or none that takes pictures. */
const preferred = computed<Target | undefined>(() => {
  const [paper, frame] = [query.value.get('paper'), query.value.get('frame')];
  if (paper !== null) return targets.value.find((target) => target.paper?.id === paper);
  return frame === null ? undefined : targets.value.find(({ id }) => id === `frame:${frame}`);
});

const isAsked = (): boolean => query.value.has('paper') || query.value.has('frame');

/** Whether the address names a place that takes no pictures. */
export const isPreferredMissing = (): boolean =>
  isAsked() && fleetState.value.isLoaded && havePapersCome.value && preferred.value === undefined;

/** Chooses the places at the beginning; a single frame needs no choice. */
export function usePreferredPlaces(): void {
  const place = preferred.value?.id;
  const isReady = fleetState.value.isLoaded && havePapersCome.value;
  useEffect(() => {
    if (!isReady) return;
    const known = new Set(targets.peek().map(({ id }) => id));
    const [first] = targets.peek();
    const before = commonPlaces.peek().length > 0 ? commonPlaces.peek() : rememberedPlaces();
    const kept = before.filter((id) => known.has(id));
    const only = targets.peek().length === 1 && first !== undefined ? [first.id] : [];
    if (place !== undefined) isForEach.value = false;
    commonPlaces.value = place !== undefined ? [place] : kept.length > 0 ? kept : only;
  }, [isReady, place, organizationId.value]);
}
