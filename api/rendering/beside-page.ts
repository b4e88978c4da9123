/** Worlds next to a page's own, with globals that its scripts cannot replace. */
import type { CDPSession, Page } from 'puppeteer';

/** A world next to the page's own. */
export interface SideWorld {
  readonly session: CDPSession;
  readonly contextId: number;
}

export async function openSideWorld(page: Page): Promise<SideWorld> {
  const session = await page.createCDPSession();
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  return { session, contextId: executionContextId };
}

/** Runs an expression in a world; what takes longer is ended by the browser, and gives undefined. */
export async function runIn({ session, contextId }: SideWorld, expression: string, timeout: number): Promise<unknown> {
  const options = { contextId, returnByValue: true, timeout };
  const { result } = await session.send('Runtime.evaluate', { expression, ...options });
  return result.value;
}

/** Runs a function next to a page once; undefined where it takes longer than a second. */
export async function evaluateBeside<Asked, Answer>(
  page: Page,
  run: (asked: Asked) => Answer,
  asked: Asked,
): Promise<Answer | undefined> {
  const world = await openSideWorld(page);
  try {
    return (await runIn(world, `(${run})(${JSON.stringify(asked)})`, 1_000)) as Answer | undefined;
  } finally {
    world.session.detach().catch(() => {});
  }
}
