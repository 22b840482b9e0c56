/** What an answer of a gateway rests on, as the header of its response tells it. */
import type { BlockHeader } from "../client/rpc-objects.ts";

/** Header of responses; of a batch it holds a list in the order of the requests. */
export const PROOF_HEADER = "x-chain-node-proof";

/**
 * `certificate`: shown from a block that a quorum of the sealers signed. `quorum`: more than half
 * of the upstreams reported the same at one height. `none`: one node's word, or the gateway's own.
 */
export type ProofKind = "certificate" | "quorum" | "none";

/** What one answer rests on. */
export interface ProofLabel {
  readonly kind: ProofKind;
  /** Number of the block that was shown, or at which the upstreams agreed. */
  readonly height: number;
  /** Positions in the list of sealers: who signed. */
  readonly sealers: readonly number[];
}

/** The label of what is shown from a header. */
export function certificateOf({ number, signatureList = [] }: BlockHeader): ProofLabel {
  const sealers = signatureList.map(({ index }) => Number(index)).sort((a, b) => a - b);
  return { kind: "certificate", height: number, sealers };
}

/** As it is sent: `certificate; height=7; sealers=0,1,3`. */
function labelText({ kind, height, sealers }: ProofLabel): string {
  return `${kind}; height=${height}; sealers=${sealers.join(",")}`;
}

/** The labels of the answers to one body. */
export class BodyLabels {
  readonly #labels = new Map<number, ProofLabel>();
  #count = 1;

  /** The body is a batch of this many requests. */
  begin(count: number): void {
    this.#count = Math.max(1, count);
  }

  /** What the answer at a position rests on. */
  set(index: number, label: ProofLabel): void {
    this.#labels.set(index, label);
  }

  /** The value of the header. @param height of requests that rest on nothing */
  text(height: number): string {
    const none: ProofLabel = { kind: "none", height, sealers: [] };
    const all = Array.from({ length: this.#count }, (_, index) => this.#labels.get(index) ?? none);
    return all.map(labelText).join(", ");
  }
}
