/** An answer that is a file to save; its route declares the media type as `fileType`. */
export class FileAnswer {
  readonly name: string;
  readonly content: string | Buffer;

  /** @param name for saving it, of letters, digits, dots and hyphens */
  constructor(name: string, content: string | Buffer) {
    this.name = name;
    this.content = content;
  }
}
