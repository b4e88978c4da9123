/** The bodies that ask for a job. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { requireSettings } from '../../devices/frame-settings.ts';
import { tagName } from '../../devices/place.ts';
import { objectId } from '../../http/field-shapes.ts';
import { addresseeFields } from '../../jobs/addressees.ts';
import type { FrameChange } from '../../jobs/frame-change.ts';
import { type JobRules, plainRules } from '../../jobs/job-rules.ts';
import { deviceChange } from '../devices/change-device.ts';

const percent = z.number().int().min(1).max(100);

/** The fields of a job's rules. Those left out have their plain values. */
export const ruleFields = {
  perMinute: z.number().int().min(1).max(10_000).nullable().describe('frames within any minute, at most').optional(),
  growth: z
    .object({
      steps: z.array(z.number().int().min(1).max(99)).min(1).max(10).describe('percentages of all frames, ascending'),
      provenPercent: percent.describe('of a step’s frames, that have to be proven before the next step begins'),
    })
    .strict()
    .nullable()
    .optional(),
  stopPercent: percent.nullable().describe('the share of failures at which it pauses; 20 unless said').optional(),
  proofHours: z.number().int().min(1).max(720).describe('48 unless said').optional(),
};

const name = z.string().trim().max(120).describe('what people see of it').optional();

/** The settings that a job gives: fields of the devices’ meta, and tags. */
export const settingsFields = {
  meta: deviceChange.shape.meta
    .describe(
      'fields of meta that are written; the others stay, null takes one away. Of `place`, the parts that are named',
    )
    .optional(),
  addTags: z.array(tagName).max(20).optional(),
  removeTags: z.array(tagName).max(20).optional(),
};

/** The body of a job without a picture. */
export const jobBody = z.object({
  name,
  paper: objectId.nullable().describe('the frames show this paper; null, none').optional(),
  ...settingsFields,
  firmware: z
    .object({ kind: z.string().max(100), version: z.string().max(100) })
    .strict()
    .describe('an image that the operator added is offered to native frames; admins only')
    .optional(),
  ...addresseeFields,
  ...ruleFields,
});

/** The body of a job that shows a picture, as JSON in the form's field `job`. */
export const pictureJobBody = z.object({ name, ...addresseeFields, ...ruleFields }).strict();

/** Fields that name one frame, or hold what belongs to it alone. */
const ownFields = ['name'];

/** The change that a body asks for. Firmware has no rollout yet. */
export type AskedChange =
  | Exclude<FrameChange, { kind: 'firmware' }>
  | { readonly kind: 'firmware'; readonly frameKind: string; readonly version: string };

/**
 * Reads what a job changes; exactly one kind of change is named.
 * @throws Refusal `invalid-request`
 */
export function readChange(body: z.output<typeof jobBody>): AskedChange {
  const { paper, meta = {}, addTags = [], removeTags = [], firmware } = body;
  const own = Object.keys(meta).find((field) => ownFields.includes(field));
  if (own !== undefined) throw refuse('invalid-request', { message: reasonOf('job-field-not-many', { field: own }) });
  requireSettings(meta, 'meta');
  const changesMeta = Object.keys(meta).length + addTags.length + removeTags.length > 0;
  const named = [paper !== undefined, changesMeta, firmware !== undefined].filter(Boolean);
  if (named.length !== 1) {
    throw refuse('invalid-request', {
      message: reasonOf(named.length === 0 ? 'job-changes-nothing' : 'job-changes-much'),
      hint: 'name paper, or meta and tags, or firmware',
    });
  }
  if (paper !== undefined) return { kind: 'paper', paper };
  if (firmware !== undefined) return { kind: 'firmware', frameKind: firmware.kind, version: firmware.version };
  return { kind: 'settings', meta, addTags, removeTags };
}

/** Rules as a body names them. */
type AskedRules = { readonly [Rule in keyof JobRules]?: JobRules[Rule] | undefined };

/** Reads the rules of a job. @throws Refusal `invalid-request` for steps that do not rise */
export function readRules({ perMinute, growth, stopPercent, proofHours }: AskedRules): JobRules {
  const steps = growth?.steps ?? [];
  if (steps.some((step, at) => at > 0 && step <= (steps[at - 1] ?? 0))) {
    throw refuse('invalid-request', { message: reasonOf('job-growth-falls') });
  }
  return {
    perMinute: perMinute === undefined ? plainRules.perMinute : perMinute,
    growth: growth === undefined ? plainRules.growth : growth,
    stopPercent: stopPercent === undefined ? plainRules.stopPercent : stopPercent,
    proofHours: proofHours ?? plainRules.proofHours,
  };
}
