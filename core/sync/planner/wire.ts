/** From the bytes of a message to an input of the planner. Source: sync 1 */
import type { NodeId } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { decodeSyncMessage, openSyncBlock, type SyncBlock } from "../sync-message.ts";
import type { SyncNews } from "./input.ts";

/** Reads what `isSyncMessage` is true of. Total; costs one hash per block. */
export function readSyncNews(from: NodeId, bytes: Uint8Array, suite: CryptoSuite): SyncNews {
  const message = decodeSyncMessage(bytes);
  if (!message) return { type: "malformed", from };
  switch (message.type) {
    case "status": {
      const { type, ...status } = message;
      return { type, from, status };
    }
    case "requestRange":
      return { type: "requestRange", from, first: message.from, count: message.count };
    case "blocks": {
      const blocks: SyncBlock[] = [];
      for (const encoded of message.blocks) {
        const block = openSyncBlock(encoded, suite);
        if (!block) return { type: "malformed", from };
        blocks.push(block);
      }
      return { type: "blocks", from, blocks };
    }
  }
}
