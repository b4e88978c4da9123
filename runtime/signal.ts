/**
 * The links between two parts that are not made at once: a signal, by which one notifies the other, and a state, which one
 * sets and the other reads. It is made before both, so that neither has to exist when the other is made.
 */

/** A channel that hands values to a listener. */
export interface Signal<Value> {
  /** Hands a value to the listener, at once. What is emitted before somebody listens is lost. */
  emit(value: Value): void;
  /** Sets the one listener. @throws Error when there is one already: it would hear nothing from then on */
  listen(listener: (value: Value) => void): void;
}

/** Creates a signal that nobody listens to yet. */
export function createSignal<Value>(): Signal<Value> {
  let current: ((value: Value) => void) | undefined;
  return {
    emit: (value) => current?.(value),
    listen(listener) {
      if (current !== undefined) throw new Error('a signal has one listener, and this one has it');
      current = listener;
    },
  };
}

/** A value that changes: its users read it when they need it, and keep no copy. */
export interface State<Value> {
  readonly read: () => Value;
  readonly set: (value: Value) => void;
}

/** Creates a state with its first value. */
export function createState<Value>(first: Value): State<Value> {
  let value = first;
  return {
    read: () => value,
    set(next) {
      value = next;
    },
  };
}
