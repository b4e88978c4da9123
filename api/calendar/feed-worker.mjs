/**
 * Reads one iCalendar text in a thread of its own that ends afterwards, because a text from outside can keep its reader
 * busy. Plain JavaScript, because a thread starts three times as fast without the TypeScript loader.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { expandEvents } from './expand-events.mjs';

parentPort?.postMessage(expandEvents(workerData));
