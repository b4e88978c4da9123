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
}

/** The clock of the person who looks, as templates and addresses read it; the offset is in seconds. */
export const userClock = (timeZone: string, now: number) => ({
  time_zone: timeZone,
  time_zone_iana: timeZone,
  utc_offset: zoneOffset(timeZone)(now) / 1_000,
});

/** The time in seconds since 1970, as templates and addresses read it. */
export const timeOfSystem = (now: number) => ({ timestamp_utc: Math.floor(now / 1_000) });

/** Returns the variables of a template; its data stand at the root. */
export function templateData(
  settings: Pick<RecipeSettings, 'strategy' | 'isDark' | 'isWithoutPadding'>,
  data: Readonly<Record<string, unknown>>,
  { values, layout, surroundings }: { values: FieldValues; layout: Layout; surroundings: TemplateSurroundings },
): Readonly<Record<string, unknown>> {
  const { now, timeZone, language, paperName, panel, batteryPercent = 100 } = surroundings;
  return {
    ...data,
    // RC-10: without it, the size of the data would be printed.
    size: layout,
    trmnl: {
      user: {
        id: 1,
        name: paperName,
        first_name: paperName,
        last_name: '',
        locale: language,
        ...userClock(timeZone, now),
      },
      device: { friendly_id: 'PAPER', percent_charged: batteryPercent, wifi_strength: 100, ...panel },
      system: timeOfSystem(now),
      plugin_settings: {
        instance_name: paperName,
        strategy: settings.strategy,
        dark_mode: settings.isDark ? 'yes' : 'no',
        no_screen_padding: settings.isWithoutPadding ? 'yes' : 'no',
        custom_fields_values: values,
      },
    },
  };
}
