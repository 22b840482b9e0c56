/** Where two pieces of JSON differ. */
import { ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import { isObject, type Json } from "../../../core/rpc/json.ts";

/** One place where a record and what was computed differ. */
export interface Difference {
  readonly block: number;
  /** Path inside the line, for example `receipts[2].gasUsed`. */
  readonly field: string;
  readonly recorded: string;
  readonly computed: string;
}

/** A place, with both values. */
export type Deviation = Omit<Difference, "block">;

const ABSENT = "(absent)";

function shown(value: Json | undefined): string {
  if (value === undefined) return ABSENT;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The receiver of a creation: records of the reference show the zero address, ours null. */
function isSameReceiver(recorded: Json | undefined, computed: Json | undefined): boolean {
  const isNobody = (value: Json | undefined) => value === null || value === ZERO_ADDRESS;
  return isNobody(recorded) && isNobody(computed);
}

/** Every place at which the two differ. */
export function deviations(field: string, recorded: Json, computed: Json): readonly Deviation[] {
  const found: Deviation[] = [];
  const walk = (path: string, left: Json | undefined, right: Json | undefined): void => {
    if (Array.isArray(left) && Array.isArray(right)) {
      for (let i = 0; i < Math.max(left.length, right.length); i++)
        walk(`${path}[${i}]`, left[i], right[i]);
    } else if (isObject(left) && isObject(right)) {
      for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
        const isTo = name === "to" && isSameReceiver(left[name], right[name]);
        if (!isTo) walk(`${path}.${name}`, left[name], right[name]);
      }
    } else if (left !== right) {
      found.push({ field: path, recorded: shown(left), computed: shown(right) });
    }
  };
  walk(field, recorded, computed);
  return found;
}
