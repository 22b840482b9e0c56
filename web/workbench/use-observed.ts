/** Follows observed values in components. */
import { useEffect, useState } from "preact/hooks";
import type { Observed } from "./observed.ts";

/** The value, followed by a component. */
export function useObserved<Value>(observed: Observed<Value>): Value {
  const [value, setValue] = useState(observed.value);
  useEffect(() => {
    setValue(observed.value);
    return observed.subscribe(setValue);
  }, [observed]);
  return value;
}
