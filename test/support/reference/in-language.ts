/** What schemas and rows of commands say, in the two languages of the documentation. */
import { COMMAND_WORDS } from "./command-words.ts";
import { CONFIG_WORDS } from "./config-words.ts";
import { CONSOLE_WORDS } from "./console-words.ts";
import { NETWORK_WORDS } from "./network-words.ts";

const WORDS = [CONFIG_WORDS, COMMAND_WORDS, NETWORK_WORDS, CONSOLE_WORDS];

/** One sentence in both languages. */
export interface Words {
  readonly en: string;
  readonly zh: string;
}

/** A language of the documentation. */
export type Language = keyof Words;

/** Texts with numbers or words of the schema in them. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^a whole number, at least (\d+)$/, "整数，不小于 $1"],
  [/^a whole number from (\d+) to (\d+)$/, "整数，$1 到 $2"],
  [/^a number from (\d+) to (\d+)$/, "数字，$1 到 $2"],
  [/^one of (.+)$/, "$1 之一"],
];

/** A text of the program in a language. @throws when nobody has translated it */
export function inLanguage(text: string, language: Language): string {
  if (language === "en") return text;
  const known = WORDS.find((words) => Object.hasOwn(words, text))?.[text];
  if (known !== undefined) return known;
  const [pattern, chinese] = PATTERNS.find(([form]) => form.test(text)) ?? [];
  if (pattern && chinese) return text.replace(pattern, chinese);
  throw new Error(`"${text}" has no Chinese words: add them to test/support/reference`);
}
