/** What becomes of a node that meets an older copy of itself. Source: decision 25 */
import { CopyFault, type OtherCopy } from "../../shared/p2p/copy-fault.ts";

/** Ends a node that runs; one that is still starting ends as soon as it runs. */
export class CopyAlarm {
  readonly #onFailure: ((cause: unknown) => void) | undefined;
  #runs = false;
  /** The copy that was met during the start. */
  #met: OtherCopy | undefined;

  constructor(onFailure: ((cause: unknown) => void) | undefined) {
    this.#onFailure = onFailure;
  }

  /** A copy was met. Where the network finds it before it is ready, the start fails by itself. */
  meet(copy: OtherCopy): void {
    if (!copy.isLater) return;
    if (this.#runs) this.#onFailure?.(new CopyFault(copy));
    else this.#met ??= copy;
  }

  /** The node runs from now on. */
  begin(): void {
    this.#runs = true;
    if (this.#met) this.#onFailure?.(new CopyFault(this.#met));
  }
}
