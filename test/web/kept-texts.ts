/** Texts in memory in place of the browser's storage. */
import type { KeptTexts } from "../../web/data/kept-texts.ts";

/** Texts that are kept until the test ends; at most this many characters, keys included. */
export function keptTexts(mostChars = Number.POSITIVE_INFINITY): KeptTexts {
  const texts = new Map<string, string>();
  return {
    get length() {
      return texts.size;
    },
    key: (index) => [...texts.keys()][index] ?? null,
    getItem: (key) => texts.get(key) ?? null,
    setItem(key, value) {
      const others = [...texts].filter(([other]) => other !== key).flat();
      if ([...others, key, value].join("").length > mostChars) {
        throw new DOMException("full", "QuotaExceededError");
      }
      texts.set(key, value);
    },
    removeItem: (key) => texts.delete(key),
  };
}
