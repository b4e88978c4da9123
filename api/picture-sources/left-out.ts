/** The rules by which pictures of a source are left out of an album (FI-7). */
import { isBelowSharp } from '../images/blur.ts';
import type { ListedPicture } from './source.ts';

/** The reasons for which a picture is left out, in the order in which they are looked for. */
export const leftOutKinds = [
  'video',
  'document',
  'screenshot',
  'message',
  'small',
  'shape',
  'screenshot-guess',
  'blurred',
] as const;
export type LeftOut = (typeof leftOutKinds)[number];

/** The rules that an album switches. Videos and documents are never shown. */
export type LeftOutRule = Exclude<LeftOut, 'video' | 'document'>;
export type LeftOutChoices = Readonly<Partial<Record<LeftOutRule, boolean>>>;

/**
 * The rules of an album that has chosen nothing. Messengers bring a family's best pictures, and a measure of blur may be
 * wrong: both are for the album to choose.
 */
export const leftOutByDefault: Readonly<Record<LeftOutRule, boolean>> = {
  screenshot: true,
  message: false,
  small: true,
  shape: true,
  'screenshot-guess': true,
  blurred: false,
};

/** The known facts of a picture. A fact that is not known leaves nothing out. */
export type JudgedPicture = Pick<ListedPicture, 'name' | 'sort' | 'width' | 'height' | 'camera' | 'bytes'> & {
  /** The sharpness, known once the picture was decoded. */
  readonly sharpness?: number | undefined;
};

/** The shorter side that a picture has at least, in pixels. */
const leastSide = 600;
/** A picture of unknown size with fewer bytes cannot have so many pixels: it is a thumbnail or an icon. */
const leastBytes = 8_192;
/** The longer side of a picture is at most this many times the shorter one. */
const maxStretch = 3;

const videoEnding = /\.(?:3g2|3gp|avi|flv|insv|m2ts|m4v|mkv|mov|mp4|mpe?g|mts|ogv|webm|wmv)$/i;
const documentEnding =
  /\.(?:aae|csv|docx?|eml|html?|json|key|md|mp3|odt|pages|pdf|pptx?|rtf|svgz?|txt|xlsx?|xml|xmp|zip)$/i;

/** The beginnings of the names that systems give to screenshots, in the languages of the service and some others. */
const screenshotNames = [
  'screenshot',
  'screen shot',
  'screen_shot',
  'scrnshot',
  'bildschirmfoto',
  "capture d'écran",
  'capture d’écran',
  'capture_d_écran',
  'captura de pantalla',
  'captura de ecrã',
  'captura de tela',
  'schermata',
  'schermafbeelding',
  'schermopname',
  'zrzut ekranu',
  'skärmavbild',
  'skjermbilde',
  'skærmbillede',
  'снимок экрана',
  'スクリーンショット',
  '스크린샷',
  '截屏',
  '屏幕截图',
] as const;

const messengerName =
  /^(?:IMG-\d{8}-WA\d|WhatsApp Image |signal-\d{4}-|received_\d|mmexport\d|photo_\d{4}-\d\d-\d\d_)/i;

/**
 * Returns the rule that leaves a picture out of an album; undefined for one that is shown. What is unknown, such as the
 * size of a picture that was only listed, is judged when it is known.
 */
export function leftOut(picture: JudgedPicture, choices: LeftOutChoices = {}): LeftOut | undefined {
  const rules = { ...leftOutByDefault, ...choices };
  const name = picture.name.slice(picture.name.lastIndexOf('/') + 1).normalize('NFC');
  const sort = picture.sort ?? sortByEnding(name);
  if (sort !== 'picture') return sort;
  const judged: Readonly<Record<LeftOutRule, () => boolean>> = {
    screenshot: () => screenshotNames.some((begins) => name.toLowerCase().startsWith(begins)),
    message: () => messengerName.test(name),
    small: () => isSmall(picture),
    shape: () => isStretched(picture),
    // Cameras name themselves; an empty name means that the file is known to have none.
    'screenshot-guess': () => picture.camera === '' && /\.png$/i.test(name),
    blurred: () => isBelowSharp(picture.sharpness),
  };
  return leftOutKinds.find((kind) => kind !== 'video' && kind !== 'document' && rules[kind] && judged[kind]());
}

function sortByEnding(name: string): 'picture' | 'video' | 'document' {
  if (videoEnding.test(name)) return 'video';
  return documentEnding.test(name) ? 'document' : 'picture';
}

function isSmall({ width, height, bytes }: JudgedPicture): boolean {
  if (width !== undefined && height !== undefined) return Math.min(width, height) < leastSide;
  return bytes !== undefined && bytes < leastBytes;
}

const isStretched = ({ width, height }: JudgedPicture): boolean =>
  width !== undefined && height !== undefined && Math.max(width, height) > maxStretch * Math.min(width, height);
