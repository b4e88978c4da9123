/**
 * The behaviour of the firmware of TRMNL's frames, by version. Read tag by tag in usetrmnl/trmnl-firmware
 * (`src/bl.cpp`, `include/config.h`, `lib/trmnl/src/refresh_interval.cpp`), and written without using what the service
 * knows of it.
 */

/** The versions that are played: each stands for a range that behaves alike. */
export const trmnlVersions = ['1.5.2', '1.6.9', '1.7.8', '1.8.14', '1.8.15', '1.8.16'] as const;
export type TrmnlVersion = (typeof trmnlVersions)[number];

/** The behaviour of a version. Times are seconds. */
export interface TrmnlFirmware {
  readonly version: TrmnlVersion;
  /** Sleeps after the first three failures of the service; the fourth sleeps `ownSeconds` and draws an error screen. */
  readonly apiLadder: readonly [number, number, number];
  /** The sleep that it takes by itself when it was sent none. */
  readonly ownSeconds: 900 | 300;
  /**
   * True when a wake by its timer shows no failure of Wi-Fi before the twelfth, and any other wake shows each failure at once.
   */
  readonly hidesFailures: boolean;
  /** The number of times that it asks for the picture to show before it gives up. */
  readonly asks: 1 | 5;
  /** True when it sleeps until somebody presses its button after Wi-Fi failed four times; before, 900 s. */
  readonly endsWithoutWifi: boolean;
  /**
   * The effect of a failed download on the sleep that the answer carried: it is a failure like others, or its outcome is
   * thrown away.
   */
  readonly failedDownload: 'fails' | 'ignored';
  /** True when it accepts a truncated download as whole, and keeps it. */
  readonly takesTorn: boolean;
  /** True when it keeps pictures in flash under their names, and downloads none that is there. */
  readonly keepsPictures: boolean;
  /** True when it draws nothing as long as the name is that of the picture that it drew last. */
  readonly skipsSameName: boolean;
  /**
   * True when it treats a file that it cannot decode as an error; later versions draw whatever the decoder made of it.
   */
  readonly noticesGarbage: boolean;
  readonly tellsWake: boolean;
  /** True when it reports whether its last picture came from flash, and how long its last wake took. */
  readonly tellsLastWake: boolean;
  readonly tellsModel: boolean;
  /** True when its calls name a content type even without a body. */
  readonly tellsContentType: boolean;
  /** True when it reports its Wi-Fi band. */
  readonly tellsBand: boolean;
  /** True when it reports that it adapts its draws to the panel's temperature. */
  readonly knowsTemperatures: boolean;
  /** True when it asks for pictures as they are, and not compressed. */
  readonly refusesCompression: boolean;
  /** True when it sends its identity with the download of a picture below its base address. */
  readonly namesItselfAtDownload: boolean;
  /** The path of its setup call, below the base address. */
  readonly setupPath: '/api/setup/' | '/api/setup';
  /** True when an answer with the status 500 makes it forget its key. */
  readonly isWipedBy500: boolean;
}

const from18 = {
  apiLadder: [15, 30, 60],
  ownSeconds: 900,
  hidesFailures: false,
  asks: 5,
  endsWithoutWifi: true,
  takesTorn: false,
  keepsPictures: true,
  skipsSameName: true,
  noticesGarbage: false,
  tellsWake: true,
  tellsLastWake: true,
  tellsModel: true,
  tellsContentType: true,
  tellsBand: true,
  knowsTemperatures: true,
  refusesCompression: true,
  namesItselfAtDownload: true,
  setupPath: '/api/setup',
} as const;

const before18 = {
  asks: 1,
  ownSeconds: 900,
  hidesFailures: false,
  endsWithoutWifi: false,
  tellsWake: false,
  tellsLastWake: false,
  tellsBand: false,
} as const;

const firmwares: Readonly<Record<TrmnlVersion, TrmnlFirmware>> = {
  '1.5.2': {
    ...before18,
    version: '1.5.2',
    apiLadder: [5, 10, 30],
    failedDownload: 'fails',
    takesTorn: false,
    keepsPictures: false,
    skipsSameName: true,
    noticesGarbage: true,
    tellsModel: false,
    tellsContentType: false,
    knowsTemperatures: false,
    refusesCompression: false,
    namesItselfAtDownload: false,
    setupPath: '/api/setup/',
    isWipedBy500: false,
  },
  '1.6.9': {
    ...before18,
    version: '1.6.9',
    apiLadder: [15, 30, 60],
    failedDownload: 'ignored',
    takesTorn: false,
    keepsPictures: false,
    skipsSameName: true,
    noticesGarbage: false,
    tellsModel: true,
    tellsContentType: true,
    knowsTemperatures: false,
    refusesCompression: false,
    namesItselfAtDownload: false,
    setupPath: '/api/setup/',
    isWipedBy500: true,
  },
  '1.7.8': {
    ...before18,
    version: '1.7.8',
    apiLadder: [15, 30, 60],
    failedDownload: 'ignored',
    takesTorn: true,
    keepsPictures: true,
    skipsSameName: false,
    noticesGarbage: false,
    tellsModel: true,
    tellsContentType: true,
    knowsTemperatures: true,
    refusesCompression: true,
    namesItselfAtDownload: true,
    setupPath: '/api/setup',
    isWipedBy500: true,
  },
  '1.8.14': { ...from18, version: '1.8.14', failedDownload: 'ignored', isWipedBy500: true },
  '1.8.15': { ...from18, version: '1.8.15', failedDownload: 'fails', isWipedBy500: false },
  '1.8.16': {
    ...from18,
    version: '1.8.16',
    apiLadder: [300, 300, 300],
    ownSeconds: 300,
    hidesFailures: true,
    endsWithoutWifi: false,
    failedDownload: 'fails',
    isWipedBy500: false,
  },
};

/** Sleeps after the first three failures of Wi-Fi, in versions that show each of them. */
export const trmnlWifiLadder = [60, 180, 300] as const;

/** Which Wi-Fi failure in a row the other versions show, and how long they sleep after it. */
export const trmnlShownWifiFailure = { number: 12, seconds: 900 } as const;

/** Returns the behaviour of a version. */
export function trmnlFirmware(version: TrmnlVersion): TrmnlFirmware {
  return firmwares[version];
}
