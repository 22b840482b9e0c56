/** Answers that take their time, for components. */
import { useEffect, useState } from "preact/hooks";

/**
 * What a question is answered, which is asked anew when one of the keys changes: undefined until
 * the answer to this very question is there, and where there is none.
 */
export function useAnswer<Value>(
  ask: () => Promise<Value> | undefined,
  keys: readonly unknown[],
): Value | undefined {
  const [answer, setAnswer] = useState<{ readonly keys: typeof keys; readonly value: Value }>();
  useEffect(() => {
    let isWanted = true;
    ask()?.then(
      (value) => isWanted && setAnswer({ keys, value }),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [...keys]);
  return answer?.keys.every((key, i) => key === keys[i]) ? answer.value : undefined;
}
