/** The credentials of a frame, as PEM texts or a password, whose user name is the serial. */
export type SimulatedCredentials =
  | { readonly kind: 'certificate'; readonly key: string; readonly cert: string; readonly ca: string }
  | { readonly kind: 'password'; readonly password: string; readonly ca?: string };
