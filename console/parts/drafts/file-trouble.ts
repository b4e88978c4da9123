/** Why a file was not taken, in words: from its bytes here, or from the service's answer. */
import { Problem } from '../../ground/call-api.ts';
import { t } from '../../ground/words.ts';
import { problemText } from '../states.tsx';
import type { FileTrouble } from './inspect-file.ts';

/** Why a file could not be opened. */
export type OpenTrouble = FileTrouble | Problem;

/** Returns whether opening a file failed. */
export const isTrouble = <Opened extends object>(opened: Opened | OpenTrouble): opened is OpenTrouble =>
  typeof opened === 'string' || opened instanceof Problem;

/** Words it, with what to do. */
export const troubleText = (trouble: OpenTrouble): string =>
  trouble instanceof Problem ? problemText(trouble) : t(`send.refused.${trouble}`);
