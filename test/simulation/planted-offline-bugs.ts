/** Planted bugs in what is believed of frames with the vendor's offline firmware, and in what they are answered (OF-7 to OF-9). */
import type { PlantedBug } from './planted-bug.ts';

const answer = 'gateway/dialects/offline/answer-offline.ts';
const choose = 'gateway/dialects/offline/choose-offline.ts';
const judge = 'gateway/dialects/offline/judge-offline.ts';

/** Bugs by which a picture counts that an error text lies over, an error text stays, or one is painted for nothing. */
export const plantedOfflineBugs: readonly PlantedBug[] = [
  {
    name: 'a named tag proves whatever came between',
    why: 'the frame keeps a tag once its picture is drawn, so that naming it says that the picture is there',
    breaks: ['INV-88', 'INV-84', 'INV-43'],
    offlineFrames: true,
    edits: [
      {
        file: judge,
        find: "  const doubt = failed ?? (isOnTime ? undefined : fromTold > 0 ? 'woke too late' : 'woke too early');\n",
        replace: '  const doubt = undefined;\n',
      },
    ],
  },
  {
    name: 'a picture under an error text keeps its tag',
    why: 'the frame has the picture, and 304 saves its battery a refresh',
    breaks: ['INV-89', 'INV-32'],
    offlineFrames: true,
    edits: [
      {
        file: choose,
        find: '  if (mayCover || (isNamed && !isTaken)) return afresh(trx, call, newest, kept);\n',
        replace: '  if (isNamed) return { upload: newest, unchanged: tag, kept };\n',
      },
    ],
  },
  {
    name: 'a tag that was replaced is not found',
    why: 'a frame that names a picture no longer offered gets a 404, and asks again without a tag',
    breaks: ['OF-8'],
    offlineFrames: true,
    edits: [
      {
        file: answer,
        find: "  const typed = { ...headers, 'content-type': bitmap };\n",
        replace: `  if (upload !== undefined && held !== undefined) {
    return sayOffline(response, 404, { error: 'no such picture', hint: 'ask without a tag' }, headers);
  }
  const typed = { ...headers, 'content-type': bitmap };
`,
      },
    ],
  },
];
