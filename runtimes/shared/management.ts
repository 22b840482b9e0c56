/**
 * Who may change groups and peers of a node over HTTP. The port of SDKs, whose clients have
 * certificates, answers them always. Source: decision 31
 */
import { isHandedOn, type RequestHeaders, textOf } from "./request-headers.ts";

/** Who may: callers on the node's own host, those with the token, or everybody. */
export type Management =
  | { readonly mode: "local" }
  | { readonly mode: "token"; readonly token: string }
  | { readonly mode: "open" };

/** What is configured when nothing is. */
export const LOCAL_MANAGEMENT: Management = { mode: "local" };
/** Shorter tokens could be guessed. */
export const LEAST_TOKEN_CHARACTERS = 16;

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Whether a caller may.
 *
 * @param isOfThisHost whether the connection comes from the node's own host; a proxy there speaks
 *   for others, and says so by its headers
 */
export function mayManage(
  management: Management,
  headers: RequestHeaders,
  isOfThisHost: () => boolean,
): boolean {
  if (management.mode === "open") return true;
  if (management.mode === "token")
    return hasToken(textOf(headers["authorization"]), management.token);
  return !isHandedOn(headers) && isOfThisHost();
}

function hasToken(authorization: string | undefined, token: string): boolean {
  const given = BEARER.exec(authorization ?? "")?.[1];
  return given !== undefined && isSame(given, token);
}

/** Takes as long for every text of the same length: nobody learns how much of it is right. */
function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length;
  for (let at = 0; at < given.length; at++)
    difference |= given.charCodeAt(at) ^ token.charCodeAt(at % token.length);
  return difference === 0;
}
