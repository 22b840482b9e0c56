/**
 * The text form of addresses that contracts name, remembered: making it costs more than a warm
 * call.
 */
import type { Address } from "../../bytes/ids.ts";
import { toAddress, type Words } from "./words.ts";

/** Turns words into addresses. */
export interface AddressCache {
  /** The low 20 bytes of a word. */
  addressOf(w: Words, at: number): Address;
}

/** Places; an address has the one that its low byte says, so that the book never grows. */
const PLACES = 256;
const LIMBS = 5;

/** An empty book. */
export function createAddressCache(): AddressCache {
  const limbs = new Uint32Array(PLACES * LIMBS);
  const addresses: (Address | undefined)[] = new Array(PLACES).fill(undefined);
  return {
    addressOf(w, at) {
      const place = (w[at] as number) % PLACES;
      const known = addresses[place];
      if (known !== undefined && isSame(limbs, place * LIMBS, w, at)) return known;
      const address = toAddress(w, at);
      addresses[place] = address;
      for (let i = 0; i < LIMBS; i++) limbs[place * LIMBS + i] = w[at + i] as number;
      return address;
    },
  };
}

function isSame(limbs: Uint32Array, from: number, w: Words, at: number): boolean {
  for (let i = 0; i < LIMBS; i++) if (limbs[from + i] !== w[at + i]) return false;
  return true;
}
