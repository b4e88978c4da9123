/** What kinds of paper there are, and where their pictures come from. */

/** Somebody uploads the picture. */
export const uploadedKinds: readonly string[] = ['image', 'printer'];

/** Drawn from something that changes without anybody touching the paper: these are rendered again and again. */
export const changingKinds: readonly string[] = ['website', 'plugin', 'calendar', 'slides', 'playlist'];

/** Every kind that draws itself: a picture sent to one of them is not used (C-07, C-49). */
export const drawnKinds: readonly string[] = [...changingKinds, 'text', 'testcard'];

/** Made of other papers. None of them shows another of its sort (C-50). */
export const composedKinds: readonly string[] = ['slides', 'playlist'];

/** Why a paper of this kind has no picture; undefined when it can have one. */
export function whyNotRendered(kind: string): string | undefined {
  const known = [...uploadedKinds, ...drawnKinds];
  return known.includes(kind) ? undefined : `papers of kind "${kind}" are not rendered; known are ${known.join(', ')}`;
}

/** Whether papers of this kind show uploaded pictures. */
export const showsUploads = (kind: string): boolean => uploadedKinds.includes(kind);

/** Whether papers of this kind draw themselves. Kinds that nobody knows take pictures and show none. */
export const drawsItself = (kind: string): boolean => drawnKinds.includes(kind);
