/** A signal between two parts: it is made before both, so that neither has to exist when the other is made. */

/** Values on their way to whoever listens. */
export interface Signal<Value> {
  /** Hands a value to the listener, at once. What is emitted before somebody listens is lost. */
  emit(value: Value): void;
  /** Sets the one listener. */
  listen(listener: (value: Value) => void): void;
}

/** Creates a signal that nobody listens to yet. */
export function createSignal<Value>(): Signal<Value> {
  let current: ((value: Value) => void) | undefined;
  return {
    emit: (value) => current?.(value),
    listen(listener) {
      current = listener;
    },
  };
}
