/** The floors of the product: its top folders with code (docs/architecture.md). */
export const floors = [
  'client',
  'firmware-protocol',
  'reasons',
  'runtime',
  'gateway',
  'api',
  'simulator',
  'cli',
  'console',
] as const;
