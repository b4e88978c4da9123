/** A reader with a fault behind four steps, each of which is reached through the one before. */

/** @throws Error for an input that begins with `FUZZ` */
export function readToy(input: Buffer): number {
  if (input[0] !== 0x46) return 0;
  if (input[1] !== 0x55) return 1;
  if (input[2] !== 0x5a) return 2;
  if (input[3] !== 0x5a) return 3;
  throw new Error('the fault of the toy');
}
