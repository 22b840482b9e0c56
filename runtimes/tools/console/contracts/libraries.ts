/** Addresses of libraries on a command line: `-l Name:0x...,Other:0x...`. Source: console 4.3, 7 */
import { usageFault } from "../command.ts";

const ENTRY = /^([A-Za-z_$][\w$]*):(0x[0-9a-fA-F]{40})$/;

/** Addresses by name. @throws ConsoleFault with exit code 2 */
export function readLibraries(text: string | undefined): ReadonlyMap<string, string> {
  const libraries = new Map<string, string>();
  for (const entry of text === undefined ? [] : text.split(",")) {
    const [, name, address] = ENTRY.exec(entry.trim()) ?? [];
    if (name === undefined || address === undefined)
      throw usageFault(`-l "${entry}": the form is Library:0x<40 digits>.`);
    libraries.set(name, address);
  }
  return libraries;
}
