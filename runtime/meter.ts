/**
 * Counting and timing. Each module declares its measures as a table next to the code that it measures. The meter is
 * handed in, and absent where nobody reads it. Labels have few values, none of them chosen by a caller, and never an
 * id.
 */

/** A counter or a histogram. */
export interface Measure {
  readonly kind: 'counter' | 'histogram';
  readonly help: string;
  /** The values of each label; `bounded` where other code limits them, as for route templates. */
  readonly labels: Readonly<Record<string, readonly string[] | 'bounded'>>;
  /** The upper ends of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

/** Measures by name; every name begins with `papergate_`. */
export type Measures = Readonly<Record<string, Measure>>;

type NameOf<Table extends Measures, Kind> = {
  [Name in keyof Table & string]: Table[Name]['kind'] extends Kind ? Name : never;
}[keyof Table & string];

type LabelsOf<Labels> = {
  readonly [Label in keyof Labels]: Labels[Label] extends readonly (infer Value)[] ? Value : string;
};

/** Records events. Neither call waits for anything, and neither throws. */
export interface Meter<Table extends Measures> {
  /** @param times how often it happened, once by default */
  count<Name extends NameOf<Table, 'counter'>>(
    name: Name,
    labels: LabelsOf<Table[Name]['labels']>,
    times?: number,
  ): void;
  /** @param seconds the duration; a negative one, after a clock stepped back, counts as 0 */
  time<Name extends NameOf<Table, 'histogram'>>(
    name: Name,
    seconds: number,
    labels: LabelsOf<Table[Name]['labels']>,
  ): void;
}
