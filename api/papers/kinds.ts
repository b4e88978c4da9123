/** Kinds of paper, as far as uploads go. */

/** Papers that show what was uploaded. */
const uploadedKinds = new Set(['image', 'printer']);
/** Papers that draw themselves: a picture sent to one of them is not used (C-07, C-49). */
const drawnKinds = new Set(['website', 'plugin', 'calendar', 'slides', 'playlist']);

/** Whether papers of this kind show uploaded pictures. */
export const showsUploads = (kind: string): boolean => uploadedKinds.has(kind);

/** Whether papers of this kind draw themselves. Kinds that nobody knows take pictures and show none. */
export const drawsItself = (kind: string): boolean => drawnKinds.has(kind);
