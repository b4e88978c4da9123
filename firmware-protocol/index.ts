/** The wire, once. Firmware authors and both sides of this project import from here. */
export * from './classic.ts';
export * from './classic-manifest.ts';
export * from './codec.ts';
export * from './firmware-version.ts';
export * from './framebuffer.ts';
export * from './limits.ts';
export * from './messages.ts';
export * from './palettes.ts';
export * from './panels.ts';
export * from './sleep.ts';
export * from './topics.ts';
export * from './versions.ts';
