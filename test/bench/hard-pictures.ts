/** Pictures that a measure of blur takes for blurred too easily: they are sharp, and have little to be sharp in. */
import sharp from 'sharp';

sharp.unblock({ operation: ['VipsForeignLoadSvg'] });

const grain = (opacity: number): string =>
  `<filter id="grain"><feTurbulence baseFrequency=".6" numOctaves="2" seed="4"/><feColorMatrix type="saturate" values="0"/></filter>
  <rect width="100%" height="100%" filter="url(#grain)" opacity="${opacity}"/>`;

/** The drawings by their names. */
const drawings: Readonly<Record<string, string>> = {
  night: `<rect width="100%" height="100%" fill="#0a0c14"/>
    <path d="M0 1100 V700 H200 V620 H420 V760 H700 V560 H900 V800 H1200 V660 H1600 V1100Z" fill="#15171f"/>
    ${[250, 480, 760, 1000, 1320].map((x, at) => `<rect x="${x}" y="${820 + 30 * at}" width="14" height="18" fill="#ffd890"/>`).join('')}
    <circle cx="1250" cy="200" r="46" fill="#f4f0e0"/>${grain(0.1)}`,
  'night, lights alone': `<rect width="100%" height="100%" fill="#05060a"/>
    ${[100, 300, 420, 640, 980, 1400].map((x, at) => `<circle cx="${x}" cy="${300 + 90 * at}" r="7" fill="#ffe8b0"/>`).join('')}${grain(0.06)}`,
  fog: `<rect width="100%" height="100%" fill="#c4c8ca"/>
    <path d="M0 800 Q500 560 900 760 T1600 640 V1100 H0Z" fill="#b6babd"/><path d="M300 1100 V600 L330 560 L360 600 V1100Z" fill="#a4a8ab"/>${grain(0.04)}`,
  'portrait, soft ground': `<defs><filter id="soft"><feGaussianBlur stdDeviation="40"/></filter></defs>
    <rect width="100%" height="100%" fill="#4a5a3c"/><g filter="url(#soft)"><circle cx="200" cy="200" r="160" fill="#d8d090"/>
    <circle cx="1300" cy="500" r="220" fill="#20301c"/><circle cx="1100" cy="160" r="120" fill="#f0e8c0"/></g>
    <ellipse cx="700" cy="560" rx="190" ry="250" fill="#e2b394"/><path d="M510 520 Q520 260 700 280 Q880 260 890 520 Q800 380 700 390 Q600 380 510 520Z" fill="#3a2618"/>
    <ellipse cx="625" cy="540" rx="22" ry="13" fill="#fff"/><circle cx="625" cy="540" r="10" fill="#2b1a10"/><ellipse cx="775" cy="540" rx="22" ry="13" fill="#fff"/>
    <circle cx="775" cy="540" r="10" fill="#2b1a10"/><path d="M640 690 Q700 720 760 690" stroke="#a04848" stroke-width="12" fill="none"/>${grain(0.06)}`,
  'sky and sea': `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="#7fb2e0"/><stop offset="1" stop-color="#dbe8f0"/></linearGradient></defs>
    <rect width="100%" height="600" fill="url(#sky)"/><rect y="600" width="100%" height="500" fill="#4d7c98"/>${grain(0.05)}`,
  leaves: `<defs><pattern id="leaf" width="38" height="30" patternUnits="userSpaceOnUse"><rect width="38" height="30" fill="#2d4a22"/>
    <path d="M2 15 Q18 0 34 15 Q18 30 2 15Z" fill="#5f8a3e"/></pattern></defs><rect width="100%" height="100%" fill="url(#leaf)"/>${grain(0.1)}`,
};

/** Draws them. */
export function hardToJudge(): Promise<readonly (readonly [name: string, image: Buffer])[]> {
  return Promise.all(
    Object.entries(drawings).map(async ([name, drawing]) => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1100">${drawing}</svg>`;
      return [name, await sharp(Buffer.from(svg)).flatten().jpeg({ quality: 92 }).toBuffer()] as const;
    }),
  );
}
