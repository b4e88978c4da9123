/** Draws pages in a process of its own, by the orders of `drawing-process.ts`. */
import { serveOrders } from '../../runtime/child-process/serve-orders.ts';
import type { PageDocument } from '../pages/document.ts';
import { typesetPage } from './typeset-page.ts';

serveOrders<PageDocument>(async (document) => {
  const { rgb, missing } = await typesetPage(document);
  return { outcome: { missing }, bytes: rgb };
});
