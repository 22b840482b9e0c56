/** The user's sources in the browser: a few files of bounded size, kept until they are removed. */
import { type KeptTexts, onOutsideChange } from "../../data/kept-texts.ts";

/** Files that are kept. */
export const MOST_FILES = 64;
/** Characters of one file: more than any contract that fits a block. */
export const MOST_FILE_CHARS = 262_144;
const MOST_NAME_CHARS = 80;
const PREFIX = "chain-node.file.";
const NAME = /^(?:[\w.-]+\/)*[\w.-]+\.sol$/;

/** Why a file is not taken. */
export type FileTrouble = "name" | "taken" | "tooMany" | "tooLarge" | "noRoom";

/** A file is not taken. */
export class FileFault extends Error {
  override readonly name = "FileFault";
  readonly trouble: FileTrouble;

  constructor(trouble: FileTrouble, options?: { readonly cause?: unknown }) {
    super(trouble, options);
    this.trouble = trouble;
  }
}

/** Files by name. */
export interface FileStore {
  /** All files with their texts, by name. */
  all(): ReadonlyMap<string, string>;
  /** Adds or replaces a file. @throws FileFault */
  save(name: string, text: string): void;
  remove(name: string): void;
  /** The text of a file; undefined when there is none. */
  read(name: string): string | undefined;
  /** Tells of files that other tabs save or remove; undefined for all of them. */
  onOutsideChange(listener: (name: string | undefined) => void): void;
}

/** Whether a name is that of a source: folders with slashes, `.sol` at the end. */
export function isFileName(name: string): boolean {
  return name.length <= MOST_NAME_CHARS && NAME.test(name) && !/(^|\/)\.{1,2}\//.test(name);
}

/** A store over texts that are kept. */
export function createFileStore(
  texts: KeptTexts,
  hear: typeof onOutsideChange = onOutsideChange,
): FileStore {
  const names = (): readonly string[] => {
    const keys = Array.from({ length: texts.length }, (_, i) => texts.key(i) ?? "");
    const own = keys.filter((key) => key.startsWith(PREFIX));
    return own.map((key) => key.slice(PREFIX.length)).sort();
  };
  return {
    all: () => new Map(names().map((name) => [name, texts.getItem(PREFIX + name) ?? ""])),
    save(name, text) {
      if (!isFileName(name)) throw new FileFault("name");
      if (text.length > MOST_FILE_CHARS) throw new FileFault("tooLarge");
      const all = names();
      if (!all.includes(name) && all.length >= MOST_FILES) throw new FileFault("tooMany");
      try {
        texts.setItem(PREFIX + name, text);
      } catch (cause) {
        throw new FileFault("noRoom", { cause });
      }
    },
    remove: (name) => texts.removeItem(PREFIX + name),
    read: (name) => texts.getItem(PREFIX + name) ?? undefined,
    onOutsideChange: (listener) =>
      hear((key) => {
        if (key === null) listener(undefined);
        else if (key.startsWith(PREFIX)) listener(key.slice(PREFIX.length));
      }),
  };
}
