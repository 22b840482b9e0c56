/** Readers of parsed YAML or JSON that know where in the file they are. */

/** Keys and indexes from the file's root. */
export type FilePath = readonly (string | number)[];

/** `test.rounds[0].label`. */
export function keyText(path: FilePath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

/** Ends the reading with a sentence about a place: `"monitor.interval" is below 0.01`. */
export type Refuse = (path: FilePath, sentence: string) => never;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A part of a file with named values. Every reader refuses what is missing or of another kind. */
export class Section {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #path: FilePath;
  readonly #refuse: Refuse;
  readonly #asked = new Set<string>();

  constructor(value: Readonly<Record<string, unknown>>, path: FilePath, refuse: Refuse) {
    this.#value = value;
    this.#path = path;
    this.#refuse = refuse;
  }

  has(key: string): boolean {
    this.#asked.add(key);
    return this.#value[key] !== undefined && this.#value[key] !== null;
  }

  keys(): readonly string[] {
    return Object.keys(this.#value);
  }

  /** Keys that no caller has asked for: they have no effect. */
  unasked(): readonly FilePath[] {
    return this.keys()
      .filter((key) => !this.#asked.has(key))
      .map((key) => [...this.#path, key]);
  }

  value(key: string): unknown {
    this.#asked.add(key);
    return this.#value[key];
  }

  /** All of it, as it was parsed. */
  values(): Readonly<Record<string, unknown>> {
    return this.#value;
  }

  refuse(key: string, sentence: string): never {
    return this.#refuse([...this.#path, key], sentence);
  }

  #demand(key: string, what: string): unknown {
    return this.has(key) ? this.#value[key] : this.refuse(key, `is missing: ${what} is wanted`);
  }

  #textOf(value: unknown, path: FilePath): string {
    // Numbers are texts to a caller that wrote them without quotes.
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value;
    return this.#refuse(path, "is no text");
  }

  text(key: string): string {
    return this.#textOf(this.#demand(key, "a text"), [...this.#path, key]);
  }

  /** A text; the fallback where the key is absent or its text empty. */
  textOr(key: string, fallback: string): string {
    return this.has(key) && this.#value[key] !== "" ? this.text(key) : fallback;
  }

  texts(key: string): readonly string[] {
    const value = this.#demand(key, "a text or a list of texts");
    const path = [...this.#path, key];
    if (!Array.isArray(value)) return [this.#textOf(value, path)];
    return value.map((entry, index) => this.#textOf(entry, [...path, index]));
  }

  #checked(path: FilePath, text: string, what: string, check: (text: string) => unknown): string {
    try {
      check(text);
      return text;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return this.#refuse(path, `"${text}" is no ${what}: ${reason}`);
    }
  }

  pattern(key: string): string {
    const check = (text: string) => new RegExp(text);
    return this.#checked([...this.#path, key], this.text(key), "regular expression", check);
  }

  patterns(key: string): readonly string[] {
    const check = (text: string) => new RegExp(text);
    const path = [...this.#path, key];
    return this.texts(key).map((text) => this.#checked(path, text, "regular expression", check));
  }

  url(key: string): string {
    return this.#checked([...this.#path, key], this.text(key), "URL", (text) => new URL(text));
  }

  urls(key: string): readonly string[] {
    const path = [...this.#path, key];
    return this.texts(key).map((text) => this.#checked(path, text, "URL", (one) => new URL(one)));
  }

  #numberOf(value: unknown, path: FilePath): number {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number === "number" && Number.isFinite(number)) return number;
    const shown = typeof value === "number" ? String(value) : JSON.stringify(value);
    return this.#refuse(path, `is no number: ${shown}`);
  }

  number(key: string, least = Number.NEGATIVE_INFINITY): number {
    const number = this.#numberOf(this.#demand(key, "a number"), [...this.#path, key]);
    return number < least ? this.refuse(key, `is below ${least}`) : number;
  }

  /** A number that is not below a limit; the fallback where the key is absent. */
  numberOr(key: string, fallback: number, least = 0): number {
    return this.has(key) ? this.number(key, least) : fallback;
  }

  /** A number above 0; the fallback, if there is one, where the key is absent. */
  positive(key: string, fallback?: number): number {
    if (fallback !== undefined && !this.has(key)) return fallback;
    const number = this.number(key);
    return number > 0 ? number : this.refuse(key, "is not above 0");
  }

  numbers(key: string): readonly number[] {
    const value = this.#demand(key, "a list of numbers");
    const path = [...this.#path, key];
    const list: readonly unknown[] = Array.isArray(value)
      ? value
      : this.#refuse(path, "is no list");
    return list.map((entry, index) => this.#numberOf(entry, [...path, index]));
  }

  flag(key: string): boolean {
    const value = this.#demand(key, "true or false");
    return typeof value === "boolean" ? value : this.refuse(key, "is neither true nor false");
  }

  oneOf<Word extends string>(key: string, words: readonly Word[]): Word {
    const text = this.text(key);
    const word = words.find((known) => known === text);
    return word ?? this.refuse(key, `"${text}" is none of ${words.join(", ")}`);
  }

  section(key: string): Section {
    return sectionOf(this.#demand(key, "a section"), [...this.#path, key], this.#refuse);
  }

  /** A section without keys in the place of one that is absent. */
  empty(key: string): Section {
    return new Section({}, [...this.#path, key], this.#refuse);
  }

  sections(key: string): readonly Section[] {
    const value = this.#demand(key, "a list");
    const path = [...this.#path, key];
    const list = Array.isArray(value) ? value : this.#refuse(path, "is no list");
    return list.map((entry, index) => sectionOf(entry, [...path, index], this.#refuse));
  }
}

/** @param path of the value in its file */
export function sectionOf(value: unknown, path: FilePath, refuse: Refuse): Section {
  if (isRecord(value)) return new Section(value, path, refuse);
  return refuse(path, "is no section with keys");
}
