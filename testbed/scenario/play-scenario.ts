/** Plays a scenario on a stage, from its start to its end. */
import { createHash } from 'node:crypto';
import { type JudgedExpectation, judgeExpectations } from './judge-expectations.ts';
import { type Observations, type Observer, observe } from './observations.ts';
import type { FrameAct, PlannedEvent, PushAct, Scenario, ScenarioAct, ServiceAct, Target } from './scenario.ts';
import type { ScenarioStage, StagedFrame, StageListener } from './stage.ts';

/** A scenario that was played. */
export interface PlayedScenario {
  readonly scenario: Scenario;
  readonly observations: Observations;
  readonly expectations: readonly JudgedExpectation[];
  readonly brokenPromise: ReturnType<ScenarioStage['brokenPromise']>;
  readonly hash: string | undefined;
  /** Whether every expectation is met, and every promise that the stage checks was kept. */
  readonly isGood: boolean;
}

/**
 * Plays it.
 * @param open sets up the fleet of the scenario, and from then on notifies the listener
 */
export async function playScenario(
  scenario: Scenario,
  open: (scenario: Scenario, listener: StageListener) => Promise<ScenarioStage>,
): Promise<PlayedScenario> {
  let observer: Observer | undefined;
  let now = (): number => scenario.startsAt;
  const stage = await open(scenario, {
    wokeUp: (serial) => observer?.woke(serial, now()),
    synced: (serial, number) => observer?.synced(serial, number, now()),
    noted: (what) => observer?.noted(what, now()),
  });
  now = stage.now;
  const observing = observe(stage.frames, scenario.startsAt);
  observer = observing;
  try {
    for (const event of scenario.events) {
      stage.at(event.at, () => carryOut(scenario, stage, observing, event));
    }
    await stage.until(scenario.endsAt);
    const { observations } = observing;
    const expectations = judgeExpectations(scenario, observations);
    const brokenPromise = stage.brokenPromise();
    const isGood = brokenPromise === undefined && expectations.every(({ isMet }) => isMet);
    return { scenario, observations, expectations, brokenPromise, hash: stage.hash(), isGood };
  } finally {
    await stage.close();
  }
}

function carryOut(scenario: Scenario, stage: ScenarioStage, observer: Observer, event: PlannedEvent): void {
  const { act } = event;
  if (isOfService(act)) {
    stage.restart(act.do, act.forMs);
    return;
  }
  const meant = framesOf(scenario, stage, observer, event);
  if (act.do === 'push') push(stage, observer, { event, act, meant });
  else for (const frame of meant) actOn(frame, act, stage, observer);
}

const isOfService = (act: ScenarioAct): act is ServiceAct => act.do === 'restart' || act.do === 'kill';

function push(
  stage: ScenarioStage,
  observer: Observer,
  { event, act, meant }: { event: PlannedEvent; act: PushAct; meant: readonly StagedFrame[] },
): void {
  const { line } = event;
  const { text } = act;
  const pushed = observer.pushed({ text, line, pushedAt: stage.now(), withinMs: act.withinMs }, meant);
  stage.push(pushed.number, text, meant).then(
    (isAccepted) =>
      isAccepted ? observer.accepted(pushed, stage.now()) : observer.noted(`"${text}" was refused`, stage.now()),
    (error: Error) => observer.noted(`"${text}" was not accepted: ${error.message}`, stage.now()),
  );
}

function actOn(frame: StagedFrame, act: FrameAct, stage: ScenarioStage, observer: Observer): void {
  switch (act.do) {
    case 'press':
      frame.press();
      break;
    case 'rotate':
      frame.rotate();
      break;
    case 'cut link':
      frame.cutLink();
      break;
    case 'charge':
      frame.charge(act.batteryMv);
      break;
    case 'cut power':
      frame.cutPower(act.forMs);
      break;
    case 'lose wifi':
      frame.loseWifi(act.forMs);
      break;
    case 'behave':
      frame.behave(act.as);
      break;
    case 'climate':
      frame.enter(act.climate);
      break;
    case 'remove':
      observer.removed(frame.serial, stage.now());
      frame
        .remove()
        .catch(({ message }: Error) => observer.noted(`${frame.serial} was not removed: ${message}`, stage.now()));
  }
}

/** The frames that an event is about, which still hang. The seed and the event draw some of them. */
function framesOf(
  { seed }: Scenario,
  { frames }: ScenarioStage,
  { observations }: Observer,
  { to, line, at }: PlannedEvent,
): readonly StagedFrame[] {
  const hang = frames.filter(
    ({ serial, group }) => to.groups.includes(group) && observations.frames.get(serial)?.removedAt === undefined,
  );
  const count = countOf(to, hang.length);
  if (count >= hang.length) return hang;
  const ranked = hang.map((frame) => ({ frame, rank: drawn(`${seed}/${line}/${at}/${frame.serial}`) }));
  const chosen = new Set(
    ranked
      .sort((one, other) => (one.rank < other.rank ? -1 : 1))
      .slice(0, count)
      .map(({ frame }) => frame),
  );
  return hang.filter((frame) => chosen.has(frame));
}

function countOf({ some }: Target, all: number): number {
  if (some === undefined) return all;
  return 'count' in some ? some.count : Math.max(1, Math.round(all * some.part));
}

const drawn = (of: string): string => createHash('sha256').update(of).digest('hex');
