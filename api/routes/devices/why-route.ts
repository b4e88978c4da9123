/** The route behind `papergate devices why`, an extension of the contract: one screen about one device. */

import { z } from 'zod';
import type { TraitsOf } from '../../../gateway/frames/dialect-traits.ts';
import type { FrameFacts } from '../../../gateway/frames/frame-facts.ts';
import { grades } from '../../../gateway/frames/grades.ts';
import { panelTrouble } from '../../../gateway/frames/named-panel.ts';
import { sleepEnds, type ToldSleep } from '../../../gateway/frames/tell-sleep.ts';
import type { Reasons } from '../../../reasons/reason.ts';
import { spellOut, wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { evidenceLevels } from '../../delivery-state/weigh-evidence.ts';
import type { DataSource } from '../../devices/data-sources.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { type Explanation, explainDevice } from '../../explanations/explain-device.ts';
import { tellRemarks } from '../../files/tell-remark.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import type { DeviceDeps } from './device-deps.ts';
import { factsOf, listDevice, presentSleep } from './show-device.ts';
import { showWhy, whyShown } from './show-why.ts';

const time = z.string().nullable();

const sourcesShown = z.array(
  z.object({
    name: z.string().describe('the host or the calendar; empty for data that were sent to the paper'),
    paperId: z.string().nullable().describe('the paper in whose part of a board its data stand'),
    answeredAt: time.describe('when it gave the data that were drawn; null where it never did'),
    problems: spelledReasons.describe('why it gave nothing newer; empty where it answered'),
  }),
);

const explained = z.object({
  id: z.string(),
  name: z.string(),
  deviceId: z.string().nullable(),
  paper: z.string().nullable(),
  status: z.enum(['online', 'offline', 'error']),
  connected: z.boolean(),
  accepted: time,
  rendered: time,
  offered: time,
  announced: time,
  fetched: time,
  shown: time,
  confirmed: time,
  level: z.enum(evidenceLevels).nullable(),
  grade: z.enum(grades).nullable().describe('what that is worth, on one scale for all frames'),
  fileVersion: z.number().nullable(),
  missing: z.array(z.string()),
  why: whyShown,
  lastFailure: z.object({ at: z.string(), reason: z.string(), reasons: spelledReasons.optional() }).nullable(),
  remark: z.string().nullable().describe('what is to be known of the picture that was made last'),
  remarks: spelledReasons.optional(),
  sources: sourcesShown.describe('how old the data in the picture are that was offered last'),
  glassSources: sourcesShown.describe('how old the data in the picture are that the frame reported last'),
  panelTrouble: z.string().nullable().describe('the frame names another panel than its kind has'),
  sleepSeconds: z.number().nullable(),
  keptSleepSeconds: z.number().nullable(),
  lastContactAt: time,
  expectedAt: time,
  wakesFor: z
    .object({
      end: z.enum(sleepEnds).describe('what ends its sleep'),
      at: time.describe('the moment for which it wakes; null where nothing is planned'),
      reason: z.string().nullable().describe('why its picture changes then'),
      reasons: spelledReasons.optional(),
      leftOut: z
        .number()
        .describe('the changes before that one for which it does not wake, because it wakes often enough'),
    })
    .nullable()
    .describe('why the frame wakes when it is expected; null where it chose its sleep itself'),
  waitsUntil: time.describe('the time for which a picture waits that is still to be shown'),
});

const steps = ['accepted', 'rendered', 'offered', 'announced', 'fetched', 'shown', 'confirmed'] as const;

export function whyRoute(deps: DeviceDeps): AnyRoute {
  return route('GET /devices/why/:deviceId', {
    summary: 'How far the newest picture came, what is missing, and when the frame is expected',
    output: explained,
    async handle({ params, principal }) {
      const device = await requireDevice(deps.db, principal, params.deviceId, 'read');
      const facts = await factsOf(device, deps.frames);
      const explanation = await explainDevice(deps.db, deps.frames.newestEvidence, device, deps.clock.now());
      const { name, deviceId, paper, status, kind } = listDevice(device, facts);
      const { level, grade, fileVersion, missing, lastFailure, remarks, why } = explanation;
      const trouble = panelTrouble(kind, facts?.panel);
      return {
        id: device.id,
        name,
        deviceId,
        paper,
        status,
        connected: facts?.connected ?? false,
        ...timesOf(explanation),
        level,
        grade,
        fileVersion,
        missing: [...missing],
        why: why && showWhy(why),
        lastFailure: lastFailure && {
          at: isoTime(lastFailure.at),
          reason: wordsOf(lastFailure.reasons),
          ...spelledAs('reasons', lastFailure.reasons),
        },
        remark: null,
        ...tellRemarks([...remarks, ...meaningOfSilence(facts, deps.frames.traitsOf)]),
        sources: explanation.sources.map(showSource),
        glassSources: explanation.glassSources.map(showSource),
        panelTrouble: trouble === undefined ? null : wordsOf(trouble),
        sleepSeconds: facts === undefined ? null : presentSleep(facts),
        keptSleepSeconds: facts?.keptSleepSeconds ?? null,
        lastContactAt: isoTimeOrNull(facts?.lastContactAt),
        expectedAt: isoTimeOrNull(facts?.expectedWakeAt),
        wakesFor: facts?.toldSleep ? showSleep(facts.toldSleep) : null,
        waitsUntil: isoTimeOrNull(explanation.waitsUntil),
      };
    },
  });
}

/** The meaning of a frame's silence, where its dialect has one (OF-13). */
function meaningOfSilence(facts: FrameFacts | undefined, traitsOf: TraitsOf): Reasons {
  const meaning = facts?.status === 'offline' ? traitsOf(facts.dialect).silence : undefined;
  return meaning === undefined ? [] : [meaning];
}

const showSleep = ({ end, at, reason, leftOut = 0 }: ToldSleep) => ({
  end,
  at: isoTimeOrNull(at),
  reason: reason === undefined ? null : wordsOf([reason]),
  ...spelledAs('reasons', reason === undefined ? [] : [reason]),
  leftOut,
});

const showSource = ({ name, paperId, answeredAt, problem }: DataSource) => ({
  name,
  paperId: paperId ?? null,
  answeredAt: isoTimeOrNull(answeredAt),
  problems: problem === undefined ? [] : [...spellOut(problem)],
});

function timesOf(explanation: Explanation): Record<(typeof steps)[number], string | null> {
  const times = Object.fromEntries(steps.map((step) => [step, isoTimeOrNull(explanation[step])]));
  return times as Record<(typeof steps)[number], string | null>;
}
