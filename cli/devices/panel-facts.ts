/** The known facts about the panel of a device's frame, and those that nobody has seen yet. */
import { type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';

/** The facts of a panel's record that people ask for. Pixels are those of the raster as stored. */
export interface PanelFacts
  extends Pick<Panel, 'name' | 'title' | 'width' | 'height' | 'refreshSeconds' | 'refreshSource'> {
  readonly inks: readonly string[];
  /** The inks' colours were measured; else they are those that their names mean. */
  readonly isMeasured: boolean;
  /** The facts that nobody has seen on hardware; `turn` is the rotation of pictures. */
  readonly unverified: readonly string[];
}

/** Returns the facts for the kind of a device; null for kinds whose panel is not known. */
export function panelFacts(kind: string | null): PanelFacts | null {
  const panel = panelOfKind(kind ?? '');
  if (panel === undefined) return null;
  const { name, title, width, height, colours, isMeasured, refreshSeconds, refreshSource, unverified } = panel;
  const inks = colours.map((colour) => colour.name);
  const unseen = unverified.map((field) => (field === 'rotation' ? 'turn' : field));
  return { name, title, width, height, inks, isMeasured, refreshSeconds, refreshSource, unverified: unseen };
}

const inWords: Readonly<Record<string, string>> = {
  turn: 'how a picture is turned',
  refreshSeconds: 'refresh time',
  foreignCodeDrawnAs: 'what unknown codes are drawn as',
};

const sourceInWords = { measured: 'measured', driver: 'from the driver', unverified: 'unverified' } as const;

/** Writes the facts as lines for people. */
export function panelLines(facts: PanelFacts | null): Record<string, unknown> {
  if (facts === null) return { panel: 'unknown' };
  const { title, width, height, inks, isMeasured, refreshSeconds, refreshSource, unverified } = facts;
  return {
    panel: title,
    size: `${width}x${height} as stored`,
    inks: `${inks.join(', ')} (${isMeasured ? 'measured colours' : 'nominal colours, not measured'})`,
    refresh: `${refreshSeconds} s (${sourceInWords[refreshSource]})`,
    unverified: unverified.length === 0 ? null : unverified.map((field) => inWords[field] ?? field).join(', '),
  };
}
