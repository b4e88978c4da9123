/** Which frames the address asks for: by what is wrong, by words, by place; and in which order. */
import { computed } from '@preact/signals';
import { type FleetDevice, fleet } from '../../ground/fleet.ts';
import { query } from '../../ground/router.ts';
import { placeParts } from '../../parts/forms/frame-choices.ts';
import type { SearchableChoice } from '../../parts/forms/search-choice.tsx';
import { foundByWords } from '../../parts/found-by-words.ts';
import { byNature } from '../../parts/natural-order.ts';
import { inOrder, readOrder } from './columns.ts';

/** The names of the filters. */
export const filters = ['all', 'trouble', 'due', 'battery'] as const;

/** The test of each filter. */
export const passes: Readonly<Record<(typeof filters)[number], (device: FleetDevice) => boolean>> = {
  all: () => true,
  trouble: ({ trouble }) => trouble !== null,
  due: ({ due }) => due !== null,
  battery: ({ trouble, battery }) => trouble?.code.startsWith('battery') === true || (battery?.percent ?? 100) < 25,
};

const textOf = (device: FleetDevice): string => {
  const { name, serial, paper, kind } = device;
  return [name, serial, paper?.title, kind, ...placeParts(device)].join(' ');
};

/** A place as addresses name it: its parts, each encoded; an empty one stands for what is unknown. */
const placeKey = (parts: readonly (string | null)[]): string =>
  parts.map((part) => encodeURIComponent(part ?? '')).join('/');

const ownParts = ({ place }: FleetDevice) => [place?.building ?? null, place?.floor ?? null, place?.room ?? null];

/** How many parts of a place a group or a choice names: the building, the floor in it, the room on that. */
export const placeDepths = { building: 1, floor: 2, room: 3 } as const;
export type PlaceDepth = keyof typeof placeDepths;

/** The key of the place that a frame hangs in, as far as the depth goes. */
export const placeKeyOf = (device: FleetDevice, depth: PlaceDepth): string =>
  placeKey(ownParts(device).slice(0, placeDepths[depth]));

/** A place in words, from its key. */
export const placeWords = (key: string): string => key.split('/').filter(Boolean).map(decodeURIComponent).join(' › ');

/** The frames that are shown. */
export const foundFrames = computed<readonly FleetDevice[]>(() => {
  const filter = filters.find((name) => name === query.value.get('show')) ?? 'all';
  const place = query.value.get('place') ?? '';
  const isThere = (device: FleetDevice): boolean => `${placeKeyOf(device, 'room')}/`.startsWith(`${place}/`);
  const among = [...fleet.value.values()].filter(
    (device) => passes[filter](device) && (place === '' || isThere(device)),
  );
  const found = foundByWords(among, query.value.get('search') ?? '', textOf);
  return inOrder(found, readOrder(query.value.get('sort')));
});

/** Every place that a frame hangs in, each building, floor and room once; empty where no frame has a place. */
export const knownPlaces = computed<readonly SearchableChoice[]>(() => {
  const keys = new Map<string, string>();
  for (const device of fleet.value.values()) {
    if (device.place === null) continue;
    for (const depth of Object.keys(placeDepths) as PlaceDepth[]) {
      const key = placeKeyOf(device, depth);
      if (!key.endsWith('/') && !keys.has(key)) keys.set(key, placeWords(key));
    }
  }
  return [...keys].map(([value, word]) => ({ value, word })).sort((one, other) => byNature(one.word, other.word));
});
