/** The user's sources in the browser: a few files of bounded size, kept until they are removed. */
import { type KeptTexts, keysUnder, onOutsideChange } from "../../data/kept-texts.ts";

/** Files that are kept. */
export const MOST_FILES = 64;
/** Characters of one file: more than any contract that fits a block. */
export const MOST_FILE_CHARS = 262_144;
const MOST_NAME_CHARS = 80;
const PREFIX = "chain-node.file.";
const NAME = /^(?:[\w.-]+\/)*[\w.-]+\.sol$/;

/** Why a file is not taken. */
type FileTrouble = "name" | "taken" | "tooMany" | "tooLarge" | "noRoom";

/** A file is not taken. */
export class FileFault extends Error {
  override readonly name = "FileFault";
  readonly trouble: FileTrouble;

  constructor(trouble: FileTrouble, options?: { readonly cause?: unknown }) {
    super(trouble, options);
    this.trouble = trouble;
  }
}

/** Whether a name is that of a source: folders with slashes, `.sol` at the end. */
export function isFileName(name: string): boolean {
  return name.length <= MOST_NAME_CHARS && NAME.test(name) && !/(^|\/)\.{1,2}\//.test(name);
}

/** Files by name, over texts that are kept. */
export class FileStore {
  readonly #texts: KeptTexts;
  readonly #hear: typeof onOutsideChange;

  constructor(texts: KeptTexts, hear = onOutsideChange) {
    this.#texts = texts;
    this.#hear = hear;
  }

  /** All files with their texts, by name. */
  all(): ReadonlyMap<string, string> {
    const names = keysUnder(this.#texts, PREFIX).map((key) => key.slice(PREFIX.length));
    return new Map(names.sort().map((name) => [name, this.read(name) ?? ""]));
  }

  /** Adds or replaces a file. @throws FileFault */
  save(name: string, text: string): void {
    if (!isFileName(name)) throw new FileFault("name");
    if (text.length > MOST_FILE_CHARS) throw new FileFault("tooLarge");
    const isFull = keysUnder(this.#texts, PREFIX).length >= MOST_FILES;
    if (isFull && this.read(name) === undefined) throw new FileFault("tooMany");
    try {
      this.#texts.setItem(PREFIX + name, text);
    } catch (cause) {
      throw new FileFault("noRoom", { cause });
    }
  }

  remove(name: string): void {
    this.#texts.removeItem(PREFIX + name);
  }

  /** The text of a file; undefined when there is none. */
  read(name: string): string | undefined {
    return this.#texts.getItem(PREFIX + name) ?? undefined;
  }

  /** Reports files that other tabs save or remove; undefined for all of them. */
  onOutsideChange(listener: (name: string | undefined) => void): void {
    this.#hear((key) => {
      if (key === null) listener(undefined);
      else if (key.startsWith(PREFIX)) listener(key.slice(PREFIX.length));
    });
  }
}
