/** The health of the service's parts: probes run at most every few seconds, and nobody waits for one that hangs. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';

/** The result of a probe. The reasons are the service's own, because everybody may read it. */
export interface Finding {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly reasons?: readonly Reason[];
  /** The way the part works here, where there is more than one; it is the service's own, too. */
  readonly note?: Reason;
}

/** Checks one part for real. A probe that throws has found the part down. */
export type Probe = () => Promise<Finding>;

/** The health of all parts. */
export interface Health {
  readonly kinds: readonly string[];
  /** Returns the latest finding, undefined for an unknown part. The promise resolves in time and never rejects. */
  look(kind: string): Promise<Finding | undefined>;
}

/** The time for which a finding is repeated before its probe runs again. */
export const freshMs = 5_000;
/** The time that a probe may take before its part counts as down. */
export const probeTimeoutMs = 4_000;

export const fine: Finding = { status: 'ok' };
const late: Finding = { status: 'down', reasons: [reasonOf('no-answer')] };
const failed: Finding = { status: 'down', reasons: [reasonOf('not-asked')] };

/** Runs the probes on demand. */
export function watchHealth(probes: Readonly<Record<string, Probe>>, clock: Clock): Health {
  const known = new Map<string, Probing>(
    Object.entries(probes).map(([kind, probe]) => [kind, { probe, under: undefined, found: undefined, at: 0 }]),
  );
  return {
    kinds: [...known.keys()],
    async look(kind) {
      const probing = known.get(kind);
      if (probing === undefined) return undefined;
      const age = clock.now() - probing.at;
      if (probing.found !== undefined && age >= 0 && age < freshMs) return probing.found;
      // A probe that hangs does not run a second time meanwhile: everybody waits for the same answer.
      probing.under ??= ask(probing, clock);
      return inTime(probing.under, clock);
    },
  };
}

interface Probing {
  readonly probe: Probe;
  under: Promise<Finding> | undefined;
  found: Finding | undefined;
  at: number;
}

async function ask(probing: Probing, clock: Clock): Promise<Finding> {
  let found = failed;
  try {
    found = await probing.probe();
  } catch {
    // It failed, which is its finding.
  }
  probing.under = undefined;
  probing.found = found;
  probing.at = clock.now();
  return found;
}

function inTime(asked: Promise<Finding>, clock: Clock): Promise<Finding> {
  return new Promise((resolve) => {
    const timeout = clock.after(probeTimeoutMs, () => resolve(late));
    const answered = (found: Finding): void => {
      timeout.cancel();
      resolve(found);
    };
    asked.then(answered, () => answered(failed));
  });
}

/** Returns the worst of several findings, with every reason. */
export function worst(findings: readonly Finding[]): Finding {
  const bad = findings.filter(({ status }) => status !== 'ok');
  if (bad.length === 0) return fine;
  const reasons = bad.flatMap((finding) => finding.reasons ?? []);
  return { status: bad.some(({ status }) => status === 'down') ? 'down' : 'degraded', reasons };
}
