/** What a page asks of the panel's picture, in `<meta name="paperless:epd-optimize">`. */

const intents = ['faithful', 'lowNoise', 'natural', 'readable', 'vivid'] as const;

/** The wishes that are understood. `enabled: false` asks for no dithering; `palette` names a measured palette. */
export interface OptimizeTag {
  readonly enabled: boolean;
  readonly intent?: (typeof intents)[number];
  readonly palette?: string;
}

/** The most that is read of a tag, in characters. */
const longestContent = 4_000;

function intentNamed(name: unknown): (typeof intents)[number] | undefined {
  return intents.find((intent) => intent === name);
}

/**
 * Reads the tag's content: a bare intent or a JSON object. Anything else is ignored, as pages expect.
 * @returns undefined when there is nothing to understand
 */
export function readOptimizeTag(content: string): OptimizeTag | undefined {
  const text = content.trim();
  const bare = intentNamed(text);
  if (bare !== undefined) return { enabled: true, intent: bare };
  if (!text.startsWith('{') || text.length > longestContent) return undefined;
  let wishes: Record<string, unknown>;
  try {
    wishes = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const intent = intentNamed(wishes.intent);
  const palette = [wishes.palette, wishes.paletteName].find((name) => typeof name === 'string');
  return {
    enabled: wishes.enabled !== false,
    ...(intent === undefined ? {} : { intent }),
    ...(typeof palette === 'string' ? { palette } : {}),
  };
}
