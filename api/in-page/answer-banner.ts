/**
 * Answers the cookie banner of a known maker, or one that looks like many, as the rules of autoconsent know it: by what allows
 * the least. It is compiled with these rules into one script, which runs in the page's own world, since some makers are asked
 * by functions of theirs.
 */
import AutoConsent, { filterCompactRules, type IndexedCMPRuleset } from '@duckduckgo/autoconsent';
import rules from '@duckduckgo/autoconsent/rules/compact-rules.json' with { type: 'json' };

/** Answers at most one banner of a document. @returns whether there was one that could be answered */
export async function answerBanner(): Promise<boolean> {
  // It is not switched on: then it would look for banners by itself, again and again.
  const consent = new AutoConsent(async () => {}, {
    enabled: false,
    isMainWorld: true,
    enablePrehide: false,
    enableHeuristicDetection: false,
    heuristicMode: 'tier2',
  });
  const mainFrame = window === window.top;
  const compact = filterCompactRules(rules as unknown as IndexedCMPRuleset, { url: location.href, mainFrame });
  consent.parseDeclarativeRules({ autoconsent: [], compact });
  // Every second look is also for banners of unknown makers.
  consent.updateState({ findCmpAttempts: 1 });
  const found = await consent.findCmp(0);
  // Rules that only hide a banner, without an answer, come last.
  for (const isCosmetic of [false, true]) {
    for (const maker of found) {
      if (maker.isCosmetic !== isCosmetic || !(await maker.detectPopup().catch(() => false))) continue;
      return maker.optOut().catch(() => false);
    }
  }
  return false;
}
