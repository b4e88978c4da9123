/**
 * The turns at the one connection of the database: a transaction has it from its beginning to its end, and anyone who dies
 * in the middle loses it.
 */
/** A process that waits for the connection. */
interface Waiting {
  readonly process: object;
  readonly begin: () => void;
}

/** The turns of one process, or of several nodes that share a database. */
export class Turns {
  #holder: object | undefined;
  #waiting: Waiting[] = [];

  /** Resolves with the connection when it is this process's turn. */
  take<Connection>(process: object, connection: Connection): Promise<Connection> {
    if (this.#holder !== undefined) {
      return new Promise((resolve) => this.#waiting.push({ process, begin: () => resolve(connection) }));
    }
    this.#holder = process;
    return Promise.resolve(connection);
  }

  /** Ends the turn of a process, if it has not ended yet. */
  give(process: object): void {
    if (this.#holder !== process) return;
    const next = this.#waiting.shift();
    this.#holder = next?.process;
    next?.begin();
  }

  /** Ends every turn of a process that died; `rollBack` is called when it was in the middle of one. */
  end(process: object, rollBack: () => void): void {
    this.#waiting = this.#waiting.filter((one) => one.process !== process);
    if (this.#holder !== process) return;
    rollBack();
    this.give(process);
  }
}
