/** What a frame proves itself with; PEM texts. The user name of a password is the serial. */
export type Credentials =
  | { readonly kind: 'certificate'; readonly key: string; readonly cert: string; readonly ca: string }
  | { readonly kind: 'password'; readonly password: string; readonly ca?: string };
