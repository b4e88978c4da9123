/** The answers that are being sent right now: a frame whose link died resumes long before its old connection is given up. */
import type { Interval } from './coverage.ts';
import type { UploadRow } from './upload-log.ts';

type Cycle = Pick<UploadRow, 'id' | 'file_version' | 'cycle'>;

export type AnswersUnderWay = ReturnType<typeof answersUnderWay>;

/** Opens the list of one process. */
export function answersUnderWay() {
  const open = new Map<string, Set<() => Interval>>();
  const keyOf = ({ id, file_version, cycle }: Cycle): string => `${id} ${file_version} ${cycle}`;
  return {
    /** What these have handed over so far of this version in this cycle. */
    handed: (upload: Cycle): readonly Interval[] => [...(open.get(keyOf(upload)) ?? [])].map((handed) => handed()),

    /** Lists an answer; the function returned takes it off again, to be called once it is recorded. */
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
