/**
 * Lists and objects as people type them: JSON, and next to it words without quotes, so that numbers
 * keep all their digits and addresses need no quotes.
 */

/** A text, or what is in brackets. */
export type NestedText =
  | string
  | readonly NestedText[]
  | { readonly members: ReadonlyMap<string, NestedText> };

/** A text is no list; `at` is the position of what does not fit. */
export class NestedFault extends Error {
  override readonly name = "NestedFault";
}

/** Lists within lists at most. */
const MOST_NESTED = 16;
const BLANKS = /\s*/y;
const BARE = /[^\s,[\]{}"':][^\s,[\]{}"']*/y;
const NAME = /[A-Za-z_$][A-Za-z0-9_$]*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

class NestedReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #take(sign: string): boolean {
    this.#match(BLANKS);
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #misfit(wanted: string): NestedFault {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    const met = rest === "" ? "the end" : JSON.stringify(rest);
    return new NestedFault(`${wanted} is expected at column ${this.#at + 1}, not ${met}`);
  }

  #quoted(quote: string): string {
    let text = "";
    for (; this.#at < this.#text.length; this.#at++) {
      const sign = this.#text[this.#at] ?? "";
      if (sign === quote) {
        this.#at++;
        return text;
      }
      text += sign === "\\" ? this.#escaped() : sign;
    }
    throw this.#misfit(`a closing ${quote}`);
  }

  /** What a backslash and the sign behind it stand for; goes on to the last sign of it. */
  #escaped(): string {
    const sign = this.#text[++this.#at] ?? "";
    const hex = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.#at + 1))?.[0];
    if (sign !== "u" || hex === undefined) return ESCAPES[sign] ?? sign;
    this.#at += hex.length;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }

  /** Quoted, or as the pattern wants it. */
  #word(pattern: RegExp, wanted: string): string {
    for (const quote of ['"', "'"]) if (this.#take(quote)) return this.#quoted(quote);
    this.#match(BLANKS);
    const bare = this.#match(pattern);
    if (bare === undefined) throw this.#misfit(wanted);
    return bare;
  }

  #list(depth: number): readonly NestedText[] {
    const items: NestedText[] = [];
    if (this.#take("]")) return items;
    do items.push(this.#value(depth));
    while (this.#take(","));
    if (!this.#take("]")) throw this.#misfit("a comma or ]");
    return items;
  }

  #object(depth: number): NestedText {
    const members = new Map<string, NestedText>();
    if (this.#take("}")) return { members };
    do {
      const name = this.#word(NAME, "the name of a member");
      if (!this.#take(":")) throw this.#misfit("a colon");
      members.set(name, this.#value(depth));
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#misfit("a comma or }");
    return { members };
  }

  #value(depth: number): NestedText {
    if (depth > MOST_NESTED) throw new NestedFault(`more than ${MOST_NESTED} brackets in brackets`);
    if (this.#take("[")) return this.#list(depth + 1);
    if (this.#take("{")) return this.#object(depth + 1);
    return this.#word(BARE, "a value");
  }

  all(): NestedText {
    const value = this.#value(0);
    this.#match(BLANKS);
    if (this.#at < this.#text.length) throw this.#misfit("the end");
    return value;
  }
}

/** Reads `[1, 0x02, "a b", [true], {"name": "x"}]`. @throws NestedFault */
export function readNested(text: string): NestedText {
  return new NestedReader(text).all();
}
