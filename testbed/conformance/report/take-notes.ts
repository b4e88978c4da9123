/**
 * The notes of a trial while it goes on, for its report: each step with the exchange before it, and the frame's own
 * versions.
 */
import { decodeClassic } from '../../../firmware-protocol/classic.ts';
import type { StepResult } from '../play-stories.ts';
import type { Exchange } from '../transcript.ts';
import type { ReportedStep } from './frame-report.ts';

/** A firmware that floods cannot fill the memory: only the last messages before a step are kept. */
const maxExchanges = 100;
const maxVersions = 5;

export interface TrialNotes {
  readonly steps: readonly ReportedStep[];
  readonly firmware: ReadonlySet<string>;
  heard(exchange: Exchange): void;
  tell(result: StepResult): void;
}

/** Begins to take notes. */
export function takeNotes(): TrialNotes {
  const steps: ReportedStep[] = [];
  const firmware = new Set<string>();
  let exchanges: Exchange[] = [];
  return {
    steps,
    firmware,
    heard(exchange) {
      const version = exchange.from === 'frame' ? versionIn(exchange) : undefined;
      if (version !== undefined && firmware.size < maxVersions) firmware.add(version);
      exchanges.push(exchange);
      if (exchanges.length > maxExchanges) exchanges.shift();
    },
    tell(result) {
      steps.push({ result, exchanges });
      exchanges = [];
    },
  };
}

/** The version that a frame names at a wake, in hello or in its wake report. */
function versionIn({ what, said }: Exchange): string | undefined {
  if (what === 'activate') {
    const report = decodeClassic('activate', new TextEncoder().encode(said));
    return report.ok && report.value.kind === 'wake' ? report.value.firmware : undefined;
  }
  if (what !== 'hello') return undefined;
  try {
    const { firmware } = JSON.parse(said) as { firmware?: unknown };
    return typeof firmware === 'string' ? firmware : undefined;
  } catch {
    return undefined;
  }
}
