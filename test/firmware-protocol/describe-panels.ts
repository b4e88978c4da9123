/** The description of the panels, for the protocol's page. */
import { fileBytes } from '../../firmware-protocol/framebuffer.ts';
import { type Panel, packings, panels } from '../../firmware-protocol/panels.ts';
import { packingComments } from './describe-header.ts';

const rotationInWords = (degrees: number): string => (degrees === 0 ? 'as it is' : `${degrees}°`);

function panelRow(panel: Panel): string {
  const { name, title, width, height, packing, rotation, refreshSeconds, refreshSource, unverified, source } = panel;
  const refresh = `${refreshSeconds} s, ${refreshSource === 'driver' ? 'from the driver' : refreshSource}`;
  return [
    '',
    `\`${name}\``,
    title,
    `${width}x${height}`,
    `\`${packing}\``,
    packing === 'png' && panel.maxFileBytes === undefined
      ? 'no limit known'
      : `${packing === 'png' ? 'at most ' : ''}${fileBytes(panel)}`,
    `${rotationInWords(rotation.landscape)} / ${rotationInWords(rotation.portrait)}${unverified.includes('rotation') ? ' (unverified)' : ''}`,
    refresh,
    source,
    '',
  ]
    .join(' | ')
    .trim();
}

/** The generated section: packings, panels, and the colours of each palette. */
export function describePanels(): string {
  const all = Object.values(panels);
  const packingRows = packings.map((packing) => `| \`${packing}\` | ${packingComments[packing]} |`);
  const palettes = new Map<string, Panel[]>();
  for (const panel of all) {
    const key = panel.colours.map(({ name, code, measured }) => `${code} ${name} ${measured}`).join();
    palettes.set(key, [...(palettes.get(key) ?? []), panel]);
  }
  const colourRows = [...palettes.values()].map(([first, ...others]) => {
    const { colours, isMeasured } = first as Panel;
    const isGray = colours.length > 2 && colours.every(({ name }) => /^(black|white|gray\d+)$/.test(name));
    const list = colours.map(
      ({ name, code, nominal, measured }) => `${code} ${name} ${isMeasured ? `${nominal} → ${measured}` : nominal}`,
    );
    const names = [first as Panel, ...others].map(({ name }) => `\`${name}\``).join(', ');
    const words = isGray ? `${list[0]} to ${list.at(-1)}, evenly spaced` : list.join(', ');
    return `| ${names} | ${words} | ${isMeasured ? 'measured' : 'not measured: the nominal colours'} |`;
  });
  return [
    ['| Packing | Pixels |', '|---|---|', ...packingRows].join('\n'),
    [
      '| `panel` | What it is | Raster as stored | Packing | File, bytes | Turned clockwise, landscape / portrait | Refresh | Source |',
      '|---|---|---|---|---|---|---|---|',
      ...all.map(panelRow),
    ].join('\n'),
    ['| Panels | Codes and colours, nominal → measured | |', '|---|---|---|', ...colourRows].join('\n'),
  ].join('\n\n');
}
