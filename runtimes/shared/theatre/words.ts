/** Words of the text form of scenarios. */
import type { ScenarioFaultCode } from "./scenario.ts";

/** A word that cannot be read; becomes a fault that names the field. */
export class Refused extends Error {
  readonly code: ScenarioFaultCode;

  constructor(code: ScenarioFaultCode) {
    super(code);
    this.code = code;
  }
}

/** A decimal number within bounds. @throws Refused */
export function readNumber(text: string | undefined, least: number, most: number): number {
  if (text === undefined || !/^\d{1,10}$/.test(text)) throw new Refused("badValue");
  const value = Number(text);
  if (value < least || value > most) throw new Refused("outOfRange");
  return value;
}

/** Reads some of the words of a field, and writes them. */
export interface Part<Value = unknown> {
  /** Takes its words from the front. @throws Refused */
  read(words: string[]): Value;
  write(value: Value): readonly string[];
}

/** A number within bounds; one that is as usual is not written. */
export function numberPart(least: number, most: number, usual?: number): Part {
  return {
    read: (words) => {
      const word = words.shift();
      return word === undefined && usual !== undefined ? usual : readNumber(word, least, most);
    },
    write: (value) => (value === usual ? [] : [String(value)]),
  };
}
