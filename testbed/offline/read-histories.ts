/** Reads at the end of a run what people are shown of each frame's past, for the judge of times (INV-84). */
import { isoTime } from '../../runtime/clock.ts';
import type { ToldShowing } from './judge-times.ts';
import type { World } from './world.ts';

/** Reads the history of every honest frame, as its owner reads it, and has it judged. */
export async function readHistories({ home, call, judge, time, trace }: World): Promise<void> {
  for (const { serial, deviceId } of home.frames.filter(({ isHonest }) => isHonest)) {
    const route = 'GET /devices/:deviceId/uploads';
    const answer = await call({ route, params: { deviceId }, as: home.owner });
    // A call to several nodes may find one that is just ending.
    if (answer.kind === 'unknown') continue;
    const told = answer.kind === 'ok' ? (answer.value as ToldShowing[]) : [];
    judge.history(serial, told, time.now());
    trace.note(`history of ${serial} with ${told.length} pictures at ${isoTime(time.now())}`);
  }
}
