/** The network of Raft schedules. */
import type { Hash } from "../../../core/bytes/ids.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import type { WrittenBlock } from "../disk.ts";
import { type LinkParts, Links } from "../links.ts";
import type { RaftOptions } from "./options.ts";

/** What travels between nodes. */
export type Packet =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "status"; readonly height: number }
  | { readonly kind: "bodyRequest"; readonly proposal: Hash }
  | { readonly kind: "body"; readonly proposal: Hash }
  | { readonly kind: "blockRequest"; readonly height: number }
  | { readonly kind: "block"; readonly block: WrittenBlock }
  /** Block sync: everything above a height. */
  | { readonly kind: "rangeRequest"; readonly height: number }
  | { readonly kind: "range"; readonly height: number; readonly blocks: readonly WrittenBlock[] };

/** The links of a Raft schedule. */
export class Network extends Links<Packet> {
  readonly #servesBlocks: boolean;

  constructor(options: RaftOptions, parts: LinkParts<Packet>) {
    super(options, parts);
    this.#servesBlocks = options.servesBlocks;
  }

  protected override isLost(_from: number, _to: number, { kind }: Packet): boolean {
    return !this.#servesBlocks && (kind === "blockRequest" || kind === "rangeRequest");
  }
}
