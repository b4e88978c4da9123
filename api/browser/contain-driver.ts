/**
 * Keeps a misbehaving browser from ending the service through its driver. puppeteer handles events in asynchronous
 * functions whose failures nobody awaits, and a browser that sends malformed messages makes them fail (T-75).
 */

/** The functions that give up each running browser. */
const givenUp = new Set<() => void>();
/** A line of a stack that names a file, and those of the driver. */
const ofFile = /^ +at .*(?:file:|\/)/;
const ofDriver = /\/node_modules\/puppeteer(?:-core)?\//;

let isContained = false;

/** Whether the driver itself failed, and not something of ours that it called. */
function isOfDriver(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ofDriver.test(error.stack?.split('\n').find((line) => ofFile.test(line) && !line.includes('node:')) ?? '');
}

/** Nobody knows which browser it was: all are given up, and the next render starts another. */
function contain(error: unknown): void {
  if (!isOfDriver(error)) throw error;
  for (const giveUp of givenUp) giveUp();
}

/**
 * Contains what a browser may do to its driver.
 * @param giveUp called when the driver has failed at a message of the browser
 * @returns a function that ends the containment, to be called when the browser has ended
 */
export function containDriver(giveUp: () => void): () => void {
  // It stays for good: what fails may fail after its browser has ended.
  if (!isContained) process.on('unhandledRejection', contain);
  isContained = true;
  givenUp.add(giveUp);
  return () => {
    givenUp.delete(giveUp);
  };
}
