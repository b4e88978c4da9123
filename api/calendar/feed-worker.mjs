/**
 * Reads one iCalendar text in a thread of its own that ends afterwards: a text from outside can keep its reader busy
 * (T-53). Plain JavaScript, because a thread starts three times as fast without the TypeScript loader.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { expandEvents } from './expand-events.mjs';

parentPort?.postMessage(expandEvents(workerData));
