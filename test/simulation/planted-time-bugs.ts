/** Planted bugs in the times that are reported (INV-84). */
import type { PlantedBug } from './planted-bug.ts';

const log = 'gateway/pictures/upload-log.ts';

/** Bugs that report a time other than that of the first report, or of the change itself. */
export const plantedTimeBugs: readonly PlantedBug[] = [
  {
    name: 'the last report counts',
    why: 'a frame that says again what it shows is believed to show it since then',
    breaks: ['INV-84'],
    edits: [
      {
        file: log,
        find: "const shown_at = firstSinceFetch(this.#db, 'shown_at', at);",
        replace: "const shown_at = notBefore(this.#db, 'fetched_at', at);",
      },
    ],
  },
  {
    name: 'there until the next was confirmed',
    why: 'the history ends a picture when the next one is certain, since that is the better proof',
    breaks: ['INV-84'],
    edits: [
      {
        file: 'api/routes/devices/glass-routes.ts',
        find: 'const next = kept[at - 1]?.shown_at ?? query.before;',
        replace: 'const next = kept[at - 1]?.confirmed_at ?? kept[at - 1]?.shown_at ?? query.before;',
      },
    ],
  },
  {
    name: 'a callback as of the state before',
    why: 'the event is dated by the row as it was read, not by the change',
    breaks: ['INV-84'],
    edits: [
      {
        file: 'api/delivery-state/move-delivery.ts',
        find: 'state, ...offer }, now, random);',
        replace: 'state, ...offer }, delivery.updated_at, random);',
      },
    ],
  },
];
