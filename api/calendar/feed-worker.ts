/**
 * Reads one iCalendar text in a thread of its own that ends afterwards, because a text from outside can keep its reader
 * busy.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { expandEvents } from './expand-events.ts';

parentPort?.postMessage(expandEvents(workerData));
