/** The download prefix that is compiled into classic frames. */
import { limits } from '../../firmware-protocol/limits.ts';
import { refuse } from '../../reasons/refusals.ts';
import { downloadPathCharacters } from './upload-row.ts';

/** Refuses a download prefix with which classic frames would overflow their URL buffer (W-04). */
export function checkFrameUrl(frameUrl: string): void {
  const characters = frameUrl.length + downloadPathCharacters;
  if (characters <= limits.classicUrlCharacters) return;
  throw refuse('frame-url-too-long', {
    message: `Download addresses would have ${characters} characters, classic frames hold ${limits.classicUrlCharacters}`,
    hint: `shorten PAPERGATE_FRAME_URL (now ${frameUrl}) to ${limits.classicUrlCharacters - downloadPathCharacters} characters`,
  });
}
