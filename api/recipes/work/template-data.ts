/** The variables of a template besides its data: who looks, on which panel, and the recipe's own settings (RC, section A5). */
import { zoneOffset } from '../../../runtime/local-time.ts';
import type { Layout } from '../package/recipe.ts';
import type { FieldValues } from '../package/recipe-fields.ts';
import type { RecipeSettings } from '../package/recipe-settings.ts';

/** The circumstances of one picture. */
export interface TemplateSurroundings {
  readonly now: number;
  readonly timeZone: string;
  readonly language: string;
  readonly paperName: string;
  readonly panel: Readonly<{ width: number; height: number }>;
  /** Undefined where the frame has not said it. */
  readonly batteryPercent?: number;
  /** How old the data are; left out for those that a recipe brings along. */
  readonly age?: DataAge;
}

/** The age of data, which templates may print. */
export interface DataAge {
  /** When the oldest of the sources answered, epoch milliseconds; undefined where none ever did. */
  readonly dataAt: number | undefined;
  /** Whether they are older than the recipe or its paper allows. */
  readonly isOld: boolean;
}

/** The user’s clock, as templates and addresses read it; the offset is in seconds. */
export const userClock = (timeZone: string, now: number) => ({
  time_zone: timeZone,
  time_zone_iana: timeZone,
  utc_offset: zoneOffset(timeZone)(now) / 1_000,
});

/** The time in seconds since 1970, as templates and addresses read it. */
export const timeOfSystem = (now: number) => ({ timestamp_utc: Math.floor(now / 1_000) });

/** Returns the variables of a template; its data stand at the root. */
export function templateData(
  settings: ShownSettings,
  data: Readonly<Record<string, unknown>>,
  { values, layout, surroundings }: { values: FieldValues; layout: Layout; surroundings: TemplateSurroundings },
): Readonly<Record<string, unknown>> {
  const { panel, batteryPercent = 100, age } = surroundings;
  const { user, plugin_settings, system } = surroundingsOf(settings, values, surroundings);
  return {
    ...data,
    // RC-10: without it, the size of the data would be printed.
    size: layout,
    trmnl: {
      user,
      device: { friendly_id: 'PAPER', percent_charged: batteryPercent, wifi_strength: 100, ...panel },
      system,
      papergate: {
        data_at: age?.dataAt === undefined ? null : Math.floor(age.dataAt / 1_000),
        is_old: age?.isOld === true,
      },
      plugin_settings,
    },
  };
}

/**
 * Returns what a recipe's program sees as `trmnl`. Its data are those of all frames that show the paper, so that it sees no
 * panel (RC-21); its values hold no secrets.
 */
export const seenByPrograms = (
  { recipe }: { readonly recipe: { readonly settings: ShownSettings } },
  { values, ...moment }: SeenMoment & { readonly values: FieldValues },
): Readonly<Record<string, unknown>> => ({ ...surroundingsOf(recipe.settings, values, moment), device: {} });

type ShownSettings = Pick<RecipeSettings, 'strategy' | 'isDark' | 'isWithoutPadding'>;
type SeenMoment = Pick<TemplateSurroundings, 'now' | 'timeZone' | 'language' | 'paperName'>;

function surroundingsOf(
  settings: ShownSettings,
  values: FieldValues,
  { now, timeZone, language, paperName }: SeenMoment,
) {
  return {
    user: {
      id: 1,
      name: paperName,
      first_name: paperName,
      last_name: '',
      locale: language,
      ...userClock(timeZone, now),
    },
    system: timeOfSystem(now),
    plugin_settings: {
      instance_name: paperName,
      strategy: settings.strategy,
      dark_mode: settings.isDark ? 'yes' : 'no',
      no_screen_padding: settings.isWithoutPadding ? 'yes' : 'no',
      custom_fields_values: values,
    },
  };
}
