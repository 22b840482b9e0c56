/** What is wrong with a network file, each with its line, its key and what is allowed there. */
import { shownValue } from "../../formats/config/config-fault.ts";
import { nearestName } from "../../formats/config/nearest-name.ts";
import { FolderFault } from "../../folder/folder-fault.ts";

/** A place in a file. */
export interface FilePlace {
  /** Counted from 1; undefined for what is absent. */
  readonly line: number | undefined;
  /** As `nodes[2].host`. */
  readonly key: string;
}

/** Alternatives are listed up to here. */
const MOST_LISTED = 12;

/** Text for documents as text for terminals. */
function plain(allowed: string): string {
  return allowed.replaceAll("`", "");
}

/** Some names in a sentence. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).join(", ");
  return names.length > MOST_LISTED ? `${shown} and ${names.length - MOST_LISTED} more` : shown;
}

/** Gathers all that is wrong with a file, so that one run tells everything. */
export class FileFindings {
  readonly #file: string;
  readonly #problems: { readonly line: number; readonly text: string }[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  get isClean(): boolean {
    return this.#problems.length === 0;
  }

  say({ line, key }: FilePlace, what: string): void {
    const parts = [this.#file, ...(line === undefined ? [] : [`line ${line}`]), key];
    const text = `${parts.filter((part) => part !== "").join(", ")} ${what}`;
    this.#problems.push({ line: line ?? 0, text });
  }

  refuse(place: FilePlace, value: string, allowed: string): void {
    this.say(place, `= "${shownValue(value)}" is not allowed: ${plain(allowed)}`);
  }

  miss(place: FilePlace, allowed: string): void {
    this.say(place, `is missing: ${plain(allowed)}`);
  }

  /** A name that nobody has, with the nearest one that somebody has. */
  unknown(place: FilePlace, word: string, names: readonly string[]): void {
    const near = nearestName(word, names);
    const meant = near === undefined ? "" : `did you mean ${near}? `;
    this.say(place, `is unknown: ${meant}Allowed: ${listed(names)}`);
  }

  /** @throws FolderFault unusable, one line for each problem in the order of the file */
  finish(): void {
    if (this.isClean) return;
    const sorted = this.#problems.toSorted((left, right) => left.line - right.line);
    throw new FolderFault("unusable", sorted.map(({ text }) => text).join("\n"));
  }
}
