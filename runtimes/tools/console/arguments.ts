/** Checks of arguments that are made before anything is sent. Source: console 4.2 */
import { readAddress } from "../../../core/bytes/quantity.ts";
import type { Hex } from "../../../core/client/rpc-objects.ts";
import { usageFault } from "./command.ts";
import { type Endpoint, readEndpoint } from "./config.ts";

/** Highest number of a block, and of other 32-bit arguments. */
export const HIGHEST_NUMBER = 2_147_483_647;
/** Source: groups 1 */
export const HIGHEST_GROUP = 32_767;
const ADDRESS_DIGITS = 40;

/** A block, transaction or other hash. @throws ConsoleFault with exit code 2 */
export function requireHash(text: string): string {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text;
  throw usageFault(`"${text}" is no hash: 0x and 64 hexadecimal digits are wanted.`);
}

/** Decimal digits in a range. @throws ConsoleFault with exit code 2 that tells the range */
export function requireNumber(
  text: string,
  name: string,
  low = 0,
  high: number = HIGHEST_NUMBER,
): number {
  const value = Number(text);
  if (/^-?\d{1,15}$/.test(text) && value >= low && value <= high) return value;
  throw usageFault(`${name} "${text}": a whole number from ${low} to ${high} is wanted.`);
}

/** Exactly `true` or `false`. @throws ConsoleFault with exit code 2 */
export function requireBoolean(text: string, name: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw usageFault(`${name} "${text}": true or false is wanted.`);
}

/** A group. @throws ConsoleFault with exit code 2 */
export function requireGroup(text: string): number {
  return requireNumber(text, "groupId", 1, HIGHEST_GROUP);
}

/** `ip:port`; names of hosts too. @throws ConsoleFault with exit code 2 */
export function requireEndpoint(text: string): Endpoint {
  const endpoint = readEndpoint(text);
  if (endpoint !== undefined) return endpoint;
  throw usageFault(`"${text}" is no endpoint: ip:port is wanted, such as 127.0.0.1:20200.`);
}

/** The same as a text in its usual form. @throws ConsoleFault with exit code 2 */
export function requireEndpointText(text: string): string {
  return requireEndpoint(text).text;
}

/** `0x` and up to 40 digits, zeros put in front. @throws ConsoleFault with exit code 2 */
export function requireAddress(text: string): Hex {
  const [, digits] = /^0x([0-9a-fA-F]{1,40})$/.exec(text) ?? [];
  const address = digits && readAddress(`0x${digits.padStart(ADDRESS_DIGITS, "0")}`);
  if (address) return address as string as Hex;
  throw usageFault(`"${text}" is no address: 0x and up to 40 hexadecimal digits are wanted.`);
}
