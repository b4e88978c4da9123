/** Makes an input that breaks something as short as it can be, and its bytes as plain. */
import { runInput } from './explore.ts';
import type { FuzzTarget } from './target.ts';

/** The most executions that shrinking takes. */
const most = 2_000;

/** Returns the shortest input found that breaks the same. */
export async function shrink(target: FuzzTarget, input: Buffer, sign: string): Promise<Buffer> {
  let [best, left] = [input, most];
  const breaks = async (candidate: Buffer): Promise<boolean> => {
    left--;
    const isSame = (await runInput(target, candidate))?.sign === sign;
    if (isSame) best = candidate;
    return isSame;
  };
  for (let part = Math.ceil(best.length / 2); part >= 1 && left > 0; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let at = 0; at < best.length && left > 0; ) {
      const without = Buffer.concat([best.subarray(0, at), best.subarray(at + part)]);
      if (!(await breaks(without))) at += part;
    }
  }
  for (let at = 0; at < best.length && left > 0; at++) {
    if (best[at] === 0x30 || best[at] === 0x0a) continue;
    const plain = Buffer.from(best);
    plain[at] = 0x30;
    await breaks(plain);
  }
  return best;
}
