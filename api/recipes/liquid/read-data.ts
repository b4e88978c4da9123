/** Reads JSON into the values that templates work with. */
import { Float } from './numbers.ts';

/** The text of a value in JSON, besides the value. Older declarations of the language do not have it. */
interface Said {
  readonly source?: string;
}

type Revive = (text: string, reviver: (this: unknown, key: string, value: unknown, said?: Said) => unknown) => unknown;

/**
 * Reads a JSON text; a number with a fraction of nought keeps it.
 * @throws SyntaxError for what is not JSON
 */
export const readData = (text: string): unknown =>
  (JSON.parse as Revive)(text, (_, value, said) =>
    typeof value === 'number' && Number.isInteger(value) && /[.eE]/.test(said?.source ?? '') ? new Float(value) : value,
  );
