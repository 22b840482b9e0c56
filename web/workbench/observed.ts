/** Values that outlive the part of the page that shows them. */
import { useEffect, useState } from "preact/hooks";

/** A value that reports its changes. */
export class Observed<Value> {
  #value: Value;
  readonly #listeners = new Set<(value: Value) => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  /** Replaces the value. */
  set(value: Value): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  /** Replaces some members of the value. */
  change(members: Partial<Value>): void {
    this.set({ ...this.#value, ...members });
  }

  /** Reports changes; the answer ends that. */
  subscribe(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The value, followed by a component. */
export function useObserved<Value>(observed: Observed<Value>): Value {
  const [value, setValue] = useState(observed.value);
  useEffect(() => {
    setValue(observed.value);
    return observed.subscribe(setValue);
  }, [observed]);
  return value;
}
