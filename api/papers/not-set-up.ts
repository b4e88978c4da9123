/** The sentences that say what a paper still needs before there is anything to draw. Nothing has failed then. */

/** What is missing, by the kind of paper, each with what to do. */
export const notSetUp = {
  calendar: 'the paper names no calendar yet: add the address of one (meta.calendars)',
  plugin: 'the paper names no integration yet: set the address of its manifest (meta.pluginConfigUrl)',
  website: 'the paper names no website yet: set its address (meta.url)',
  text: 'the paper has no text yet: write one (meta.text)',
} as const;

const sentences: ReadonlySet<string> = new Set(Object.values(notSetUp));

/** Asks if this reason for having no picture is only that the paper is not set up yet. */
export const isNotSetUp = (reason: string | null | undefined): boolean => sentences.has(reason ?? '');
