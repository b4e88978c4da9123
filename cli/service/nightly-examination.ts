/** The examination of what is stored, a slice each night, by a process of its own; its findings reach the operator. */
import {
  addSlice,
  damageWords,
  examined,
  keepExamination,
  knownDamage,
  readExamination,
} from '../../api/status/examination.ts';
import type { ServiceMeter } from '../../api/status/measures.ts';
import type { SingleTask } from '../../cluster/cluster.ts';
import { markLost } from '../../gateway/pictures/read-picture.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { followPlan } from '../../runtime/wall-plan.ts';

/** An hour before the backup, which ends before that begins. */
const examinationHour = '37 1 * * *';
const maxMinutes = 45;
const picturePattern = /^file:pictures\/([0-9a-f]{64})$/;

export interface ExaminationDeps extends Pick<CommonDeps, 'db' | 'clock' | 'logger'> {
  readonly single: SingleTask;
  readonly meter: ServiceMeter | undefined;
  /** Runs `papergate` with these arguments to its end, and returns its output; throws its message where it failed. */
  run(args: readonly string[]): Promise<string>;
  /** Has the operator notified of damage, with its words, and of its end. */
  tell(isDamaged: boolean, words: string): Promise<void>;
}

/** Examines each night while it is not stopped, at the node that does the single tasks. */
export function startExaminations(deps: ExaminationDeps): { stop(): void } {
  let plan: { stop(): void } | undefined;
  let isStopped = false;
  inBackground(deps.logger, 'plan the nightly examination', async () => {
    const lastAt = (await readExamination(deps.db))?.lastAt ?? 0;
    const run = () => examineTonight(deps);
    if (!isStopped) plan = followPlan({ line: examinationHour, task: 'examine what is stored', lastAt, run }, deps);
  });
  return {
    stop() {
      isStopped = true;
      plan?.stop();
    },
  };
}

/** Examines for as long as a night may take, from where the last one stopped, and has lost pictures made again. */
export async function examineTonight(deps: ExaminationDeps): Promise<void> {
  const { db, clock, logger, meter, single, run, tell } = deps;
  if (!single.isOurs()) return;
  try {
    const before = await readExamination(db);
    const place = before?.next ? ['--after', before.next] : [];
    const output = await run(['examine', '--json', '--minutes', String(maxMinutes), ...place]);
    const slice = examined.parse(JSON.parse(output));
    const known = addSlice(before, slice, clock.now());
    const damaged = knownDamage(known);
    const words = damageWords(known);
    // The operator is notified first: where rows are damaged, a write may fail.
    if (damaged.length > 0) {
      const hint = 'papergate doctor --deep --files says what to do';
      logger.error({ damaged: damaged.slice(0, 10), hint }, `what is stored is damaged: ${words}`);
    }
    meter?.count('papergate_examinations_total', { outcome: damaged.length > 0 ? 'damaged' : 'sound' });
    await tell(damaged.length > 0, words);
    await keepExamination(db, known);
    const pictures = slice.damaged.flatMap(({ name }) => picturePattern.exec(name)?.[1] ?? []);
    const marked = await markLost(db, pictures, clock.now());
    if (marked > 0) logger.info({ pictures: marked }, 'damaged pictures are made again');
    const { tables, files, next } = slice;
    logger.info({ tables, files, goesOn: next !== null }, 'examined what is stored');
  } catch (error) {
    meter?.count('papergate_examinations_total', { outcome: 'failed' });
    logger.error({ error, hint: 'papergate examine says it again' }, 'what is stored could not be examined');
  }
}
