/** How the parts of the service are: probes that are asked at most every few seconds, and never waited for in vain. */
import type { Clock } from '../../gateway/runtime/clock.ts';

/** What a probe found. The reason is one of the service's own sentences: everybody may read it. */
export interface Finding {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly reason?: string;
  /** How it works here, where there is more than one way; of the service's own sentences too. */
  readonly note?: string;
}

/** Looks at one part for real. One that throws has found it down. */
export type Probe = () => Promise<Finding>;

/** The health of every kind there is. */
export interface Health {
  readonly kinds: readonly string[];
  /** The latest finding, undefined for a kind there is not. Resolves in time and never rejects. */
  look(kind: string): Promise<Finding | undefined>;
}

/** How long a finding is told again before its probe is asked anew. */
export const freshMs = 5_000;
/** How long a probe may take before its part counts as down. */
export const probeTimeoutMs = 4_000;

export const fine: Finding = { status: 'ok' };
const late: Finding = { status: 'down', reason: 'it does not answer' };
const failed: Finding = { status: 'down', reason: 'it cannot be asked' };

/** Watches over probes. */
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
      // One that hangs is not asked a second time meanwhile: everybody waits for the same answer.
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
  const found = await probing.probe().catch(() => failed);
  probing.under = undefined;
  probing.found = found;
  probing.at = clock.now();
  return found;
}

function inTime(asked: Promise<Finding>, clock: Clock): Promise<Finding> {
  return new Promise((resolve) => {
    const timeout = clock.after(probeTimeoutMs, () => resolve(late));
    void asked.then((found) => {
      timeout.cancel();
      resolve(found);
    });
  });
}

/** The worst of several findings, with every reason. */
export function worst(findings: readonly Finding[]): Finding {
  const bad = findings.filter(({ status }) => status !== 'ok');
  if (bad.length === 0) return fine;
  const reasons = bad.map(({ reason }) => reason).filter((reason) => reason !== undefined);
  return { status: bad.some(({ status }) => status === 'down') ? 'down' : 'degraded', reason: reasons.join('; ') };
}
