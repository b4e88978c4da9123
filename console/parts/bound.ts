/** A value that a field shows and changes. A signal is one, and so is the result of binding to a call. */
export interface Bound<Value> {
  value: Value;
}

/** Returns a value that is changed by a call. */
export const bound = <Value>(value: Value, change: (value: Value) => void): Bound<Value> => ({
  get value() {
    return value;
  },
  set value(next) {
    change(next);
  },
});
