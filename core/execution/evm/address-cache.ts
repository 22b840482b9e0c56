/** The text form of addresses that contracts name: making it costs more than a warm call. */
import type { Address } from "../../bytes/ids.ts";
import { toAddress, type Words } from "./words.ts";

/** Places; an address has the one that its low byte says, so that the book never grows. */
const PLACES = 256;
const LIMBS = 5;

/** Turns words into addresses and remembers them. */
export class AddressCache {
  readonly #limbs = new Uint32Array(PLACES * LIMBS);
  readonly #addresses: (Address | undefined)[] = new Array(PLACES).fill(undefined);

  /** The low 20 bytes of a word. */
  addressOf(w: Words, at: number): Address {
    const limbs = this.#limbs;
    const place = (w[at] as number) % PLACES;
    const known = this.#addresses[place];
    if (known !== undefined && isSame(limbs, place * LIMBS, w, at)) return known;
    const address = toAddress(w, at);
    this.#addresses[place] = address;
    for (let i = 0; i < LIMBS; i++) limbs[place * LIMBS + i] = w[at + i] as number;
    return address;
  }
}

function isSame(limbs: Uint32Array, from: number, w: Words, at: number): boolean {
  for (let i = 0; i < LIMBS; i++) if (limbs[from + i] !== w[at + i]) return false;
  return true;
}
