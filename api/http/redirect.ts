/** An answer that leads a browser on: of routes that people open by a link, and whose status is 302. */
export class Redirect {
  readonly location: string;

  /** @param location an address, or a path of this service */
  constructor(location: string) {
    this.location = location;
  }
}
