/** Texts that the browser keeps for this origin. */

/** The part of `localStorage` that is used, so that something else can stand in for it. */
export interface KeptTexts {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  /** @throws DOMException when there is no room */
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

interface TextStore {
  readonly localStorage: KeptTexts;
  addEventListener?(
    type: "storage",
    listener: (event: { readonly key: string | null }) => void,
  ): void;
}

const place = globalThis as unknown as TextStore;

/** The texts of this browser. */
export function browserTexts(): KeptTexts {
  return place.localStorage;
}

/** The keys that begin so. */
export function keysUnder(texts: KeptTexts, prefix: string): readonly string[] {
  const keys = Array.from({ length: texts.length }, (_, i) => texts.key(i) ?? "");
  return keys.filter((key) => key.startsWith(prefix));
}

/** Reports texts that other tabs change: their key, null for all of them. */
export function onOutsideChange(listener: (key: string | null) => void): void {
  place.addEventListener?.("storage", ({ key }) => listener(key));
}
