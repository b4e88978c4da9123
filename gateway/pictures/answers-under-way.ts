/**
 * The download answers that are being sent right now. They are needed because a frame whose link died resumes its
 * download long before the old connection is given up.
 */
import type { Interval } from './coverage.ts';
import type { UploadRow } from './upload-row.ts';

type Cycle = Pick<UploadRow, 'id' | 'file_version' | 'cycle'>;

export type AnswersUnderWay = ReturnType<typeof answersUnderWay>;

/** Creates the list of one process. */
export function answersUnderWay() {
  const open = new Map<string, Set<() => Interval>>();
  const keyOf = ({ id, file_version, cycle }: Cycle): string => `${id} ${file_version} ${cycle}`;
  return {
    /** The intervals that the answers under way have handed over so far, of this version in this cycle. */
    handed: (upload: Cycle): readonly Interval[] => [...(open.get(keyOf(upload)) ?? [])].map((handed) => handed()),

    /** Adds an answer to the list. The caller calls the returned function once the answer is recorded, which removes it. */
    begin(upload: Cycle, handed: () => Interval): () => void {
      const key = keyOf(upload);
      const answers = open.get(key) ?? new Set();
      open.set(key, answers.add(handed));
      return () => {
        answers.delete(handed);
        if (answers.size === 0) open.delete(key);
      };
    },
  };
}
