/** Planted bugs in what counts as kept, and in what is foretold (DL-12, DL-24). */
import type { PlantedBug } from './planted-bug.ts';

const read = 'api/deadlines/read-situation.ts';

/** Bugs by which a deadline counts as met that nobody proved, or as missed that nobody foretold. */
export const plantedDeadlineBugs: readonly PlantedBug[] = [
  {
    name: 'met when taken',
    why: 'a frame that took the picture whole in time is drawing it, so that the deadline is kept',
    breaks: ['DL-24', 'DL-13'],
    deadlines: true,
    edits: [
      {
        file: read,
        find: '  if (lacks.length > 0 || !isAsked(gradeOf(offer), occurrence.deadline.grade)) return null;',
        replace:
          '  if (lacks.length > 0 && !isAsked(gradeOf(offer), occurrence.deadline.grade)) return offer.fetched_at;',
      },
    ],
  },
  {
    name: 'every miss is a surprise',
    why: 'nobody can know beforehand that a frame will not come',
    breaks: ['DL-24'],
    deadlines: true,
    edits: [
      {
        file: 'api/deadlines/deadline-state.ts',
        find: "  ['asleep', 'not-shown', ",
        replace: "  ['not-shown', ",
      },
    ],
  },
];
