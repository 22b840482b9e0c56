/** What bindings of the worker say of a chain of objects. */
import type { PageLists } from "../../shared/http-caller.ts";

/** Text bindings. */
export interface ObjectSettings {
  /** `national` for a chain of SM2 and SM3; absent for the standard suite. */
  readonly SUITE?: string;
  /** How many objects seal, 1 to 7; 1 when absent. What a chain was founded with stays. */
  readonly SEALERS?: string;
  /** Names by which browsers reach the worker, separated by commas. Source: decision 24 */
  readonly ALLOWED_HOSTS?: string;
  /** Web pages that may change something, separated by commas. Source: decision 24 */
  readonly ALLOWED_ORIGINS?: string;
}

const MAX_SEALERS = 7;

/** How many objects seal. @throws RangeError for another text than 1 to 7 */
export function sealerCount({ SEALERS = "1" }: ObjectSettings): number {
  const count = Number(SEALERS);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_SEALERS) return count;
  throw new RangeError(`SEALERS is 1 to ${MAX_SEALERS}, not ${SEALERS}`);
}

/** Name of the object of a sealer. @param index from 0 on */
export function memberName(index: number): string {
  return `sealer-${index}`;
}

function listOf(text = ""): readonly string[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

/** Hosts and pages that are listed. */
export function listsOf({ ALLOWED_HOSTS, ALLOWED_ORIGINS }: ObjectSettings): PageLists {
  return { allowedHosts: listOf(ALLOWED_HOSTS), allowedOrigins: listOf(ALLOWED_ORIGINS) };
}
