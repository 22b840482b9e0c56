/** Tells when clients hold much, and when that is over. */
const MIB = 1024 * 1024;
/** From here on it is much, until they hold a quarter. */
export const BURST_BYTES: number = 32 * MIB;

/** A class because it remembers. */
export class Burst {
  #isOn = false;

  /** @param held bytes that clients hold @returns whether there is one */
  look(held: number): boolean {
    this.#isOn = held > (this.#isOn ? BURST_BYTES / 4 : BURST_BYTES);
    return this.#isOn;
  }
}
