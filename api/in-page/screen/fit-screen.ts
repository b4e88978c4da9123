/** The steps in which a screen is fitted: sizes of words first, then what there is room for. */
import { clampWords } from './clamp-words.ts';
import { fitColumns } from './fit-columns.ts';
import { fitValues } from './fit-values.ts';
import { formatValues } from './format-values.ts';
import { limitContent } from './limit-content.ts';
import { limitTables } from './limit-tables.ts';

/** Fits a screen. A step that fails leaves the others to do theirs. */
export function fitScreen(screen: HTMLElement): void {
  for (const step of [formatValues, fitValues, clampWords, fitColumns, limitTables, limitContent]) {
    try {
      step(screen);
    } catch (error) {
      console.error(error);
    }
  }
}
