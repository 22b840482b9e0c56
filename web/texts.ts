/**
 * What the page says, in English and Chinese, by key. Each part brings its own texts: a table per
 * part, put together here when the part is loaded.
 */

/** The languages of the page. */
export type Language = "en" | "zh";
/** A text in each language; `{name}` stands for a value. */
export type Words = readonly [en: string, zh: string];
/** Texts by their keys. */
export type Texts = Readonly<Record<string, Words>>;

const SHELL: Texts = {
  "nav.explorer": ["Explorer", "区块浏览器"],
  "nav.workbench": ["Workbench", "合约工作台"],
  "nav.theatre": ["Theatre", "共识剧场"],
  "nav.lessons": ["Lessons", "课程"],
  "nav.node": ["Node", "节点"],
};

const KEPT = "chain-node.language";
const tables: Texts[] = [SHELL];

/** Adds the texts of a part. */
export function addTexts(texts: Texts): void {
  tables.push(texts);
}

let chosen: Language | undefined;

/** The language that was chosen, else the browser's when it is Chinese, else English. */
export function language(): Language {
  chosen ??= firstLanguage();
  return chosen;
}

function firstLanguage(): Language {
  const kept = globalThis.localStorage?.getItem(KEPT);
  if (kept === "en" || kept === "zh") return kept;
  return /^zh\b/i.test(globalThis.navigator?.language ?? "") ? "zh" : "en";
}

/** Chooses the language for this and later visits. */
export function chooseLanguage(wanted: Language): void {
  chosen = wanted;
  document.documentElement.lang = wanted;
  globalThis.localStorage?.setItem(KEPT, wanted);
}

/** Words in the chosen language. */
export function inLanguage([en, zh]: Words): string {
  return language() === "en" ? en : zh;
}

/** The text of a key in the chosen language; the key itself when nobody wrote one. */
export function text(key: string, values: Readonly<Record<string, string | number>> = {}): string {
  const found = tables.find((table) => Object.hasOwn(table, key))?.[key];
  const shown = found ? inLanguage(found) : key;
  return shown.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
}
