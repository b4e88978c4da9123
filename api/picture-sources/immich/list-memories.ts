/** Lists the memories of a day: pictures of the same day in other years, as Immich gathers them. */
import { reasonOf } from '../../../reasons/reason.ts';
import { faultOfRefusal, isGiven, jsonOf, unreadableAnswer } from '../ask-source-server.ts';
import { SourceFault } from '../source.ts';
import { type ImmichAsset, maySee, memoriesAnswer } from './immich-answers.ts';
import { type ImmichQuestion, type ImmichServer, type ImmichVersion, isFrom } from './immich-server.ts';

/** A day, `YYYY-MM-DD`, of the person who looks at the frame. */
const dayForm = /^\d{4}-(\d{2})-(\d{2})$/;

/** Returns the question for the memories of a day, as a version reads it (IM-7). */
function questionFor(version: ImmichVersion, day: string): ImmichQuestion {
  const right = 'memory.read';
  if (!isFrom(version, 1, 133)) {
    const [, month, date] = dayForm.exec(day) ?? [];
    return { path: '/assets/memory-lane', query: { month: Number(month), day: Number(date) }, right };
  }
  // A date-time is the middle of the day, which is the same day in every zone but the outermost.
  const wish = isFrom(version, 3, 0, 3) ? day : `${day}T12:00:00.000Z`;
  return { path: '/memories', query: { type: 'on_this_day', for: wish }, right };
}

/** Returns the pictures of a day's memories, each once. */
export async function memoriesOf(server: ImmichServer, day: string): Promise<readonly ImmichAsset[]> {
  if (!dayForm.test(day)) throw new SourceFault('unusable', reasonOf('album-source-unreadable'));
  let answer = await server.ask(questionFor(await server.version(), day));
  if (answer.status === 400) answer = await server.ask(questionFor(await server.version(true), day));
  if (!isGiven(answer)) throw faultOfRefusal(answer);
  const memories = jsonOf(answer.body, memoriesAnswer);
  if (memories === undefined) throw unreadableAnswer();
  const found = new Map<string, ImmichAsset>();
  for (const { assets } of memories) for (const one of assets) if (maySee(one)) found.set(one.id, one);
  return [...found.values()];
}
