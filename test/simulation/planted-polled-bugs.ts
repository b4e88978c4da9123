/** Planted bugs in what is believed of frames that poll, and in how their glass heals (INV-88, INV-89). */
import type { PlantedBug } from './planted-bug.ts';

const judge = 'gateway/dialects/trmnl/judge-wake.ts';
const tell = 'gateway/dialects/trmnl/tell-picture.ts';
const time = '  found.push(...doubtsOfTime(last, call, range?.tellsWake === true, now));\n';
const logged = "  if (last.erredAt !== null) found.push('the frame logged an error');\n";

/** Bugs by which a picture counts that was not drawn, or an error screen stays. */
export const plantedPolledBugs: readonly PlantedBug[] = [
  {
    name: 'the echo alone proves',
    why: 'the firmware overwrites the sleep when something fails, so that its echo says that nothing did',
    breaks: ['INV-88', 'INV-84', 'INV-43'],
    edits: [
      {
        file: judge,
        find: '  else if (!isWhole)',
        replace: '  else if (!isWhole && echoed === undefined)',
      },
      { file: judge, find: time, replace: '' },
      { file: judge, find: logged, replace: '' },
    ],
  },
  {
    name: 'time is not weighed',
    why: 'a right echo after a whole download is proof enough, whenever it comes',
    breaks: ['INV-84', 'INV-43', 'INV-88'],
    edits: [{ file: judge, find: time, replace: '' }],
  },
  {
    name: 'a covered picture is not announced again',
    why: 'the frame has the picture, and its name did not change',
    breaks: ['INV-89'],
    edits: [
      {
        file: tell,
        find: '  return isItsOwn ? stored : undefined;',
        replace: '  return undefined;',
      },
    ],
  },
  {
    name: 'a covered picture is announced again each time',
    why: 'glass that lies has to be repaired whatever it costs',
    breaks: ['INV-89'],
    edits: [{ file: tell, find: '  if (now < nextAt || !hasVersion(told)) {', replace: '  if (!hasVersion(told)) {' }],
  },
  {
    name: 'announced again under the name it had',
    why: 'a frame to which a picture is announced draws it',
    breaks: ['INV-89', 'INV-84'],
    edits: [
      {
        file: tell,
        find: '  const upload = await uploadLog(trx).offerAgain(newest, told.frame, told);\n',
        replace: '  const upload = newest;\n',
      },
    ],
  },
];
