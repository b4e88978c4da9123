/** The sources of the data in a picture, each with the time at which it answered: what hangs shows data of then, not of now. */
import { type Reason, readReason } from '../../reasons/reason.ts';
import { isRecord } from '../../runtime/plain-record.ts';

/** A source of a picture. */
export interface DataSource {
  /** The host, or what people call the calendar; empty for data that were sent here. */
  readonly name: string;
  /** The paper in whose part of a board its data stand; left out for the paper itself. */
  readonly paperId?: string;
  /** When it gave the data that were drawn, epoch milliseconds; null where it never did. */
  readonly answeredAt: number | null;
  /** Why it gave nothing newer; left out where it was asked and answered. */
  readonly problem?: Reason;
}

/** Returns the text by which a picture's sources are kept with its offer; undefined for a picture without any. */
export const sourcesText = (sources: readonly DataSource[] | undefined): string | undefined =>
  sources === undefined || sources.length === 0 ? undefined : JSON.stringify(sources);

/** Reads the text; none for null. */
export function readSources(text: string | null | undefined): readonly DataSource[] {
  const read: unknown = JSON.parse(text ?? '[]');
  return (Array.isArray(read) ? read : []).filter(isRecord).map(({ name, paperId, answeredAt, problem }) => {
    const known = readReason(problem);
    return {
      name: String(name),
      answeredAt: typeof answeredAt === 'number' ? answeredAt : null,
      ...(typeof paperId === 'string' && { paperId }),
      ...(typeof known === 'object' && { problem: known }),
    };
  });
}

/** Returns the time of the oldest of the data, epoch milliseconds; undefined where no source gave any. */
export function oldestAnswer(sources: readonly DataSource[]): number | undefined {
  const times = sources.flatMap(({ answeredAt }) => (answeredAt === null ? [] : [answeredAt]));
  return times.length === 0 ? undefined : Math.min(...times);
}
