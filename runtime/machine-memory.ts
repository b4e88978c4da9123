/** How much memory this process may count on, and whether that makes the machine a small one. */
import { totalmem } from 'node:os';

/** Returns the bytes that the machine has, or those of its container or unit where these are fewer. */
export function machineMemory(): number {
  const most = process.constrainedMemory();
  return most === undefined || most === 0 ? totalmem() : Math.min(most, totalmem());
}

/** A board of one GB is below it, one of two is not. */
const smallBytes = 1_536 * 1024 * 1024;

/** Whether the memory is so little that one thing after the other is done, where others do a few at once. */
export function isSmallMachine(memoryBytes: number): boolean {
  return memoryBytes < smallBytes;
}
