/** A lane over JSON-RPC: receipts are asked for once their blocks are there. */
import { TransportFault } from "../../../../core/client/client-fault.ts";
import type { RpcCall, Transport } from "../../../../core/client/transport.ts";
import { toPrefixedHex } from "../../../../core/bytes/hex.ts";
import type { LaneReceipt, ReceiptWatch } from "../../../shared/benchmark/receipt-watch.ts";
import type { SignedBytes } from "../../../shared/benchmark/signing.ts";
import type { Lane } from "./lane.ts";

/** What a lane is made of. */
export interface RpcLaneParts {
  readonly name: string;
  readonly transport: Transport;
  readonly groupId: number;
  readonly watch: ReceiptWatch;
}

const RETRY_MS = 1_000;

/** A way to the RPC port of a node. */
export class RpcLane implements Lane {
  readonly name: string;
  readonly #parts: RpcLaneParts;
  #lost: string | undefined;
  #lostAt = 0;

  constructor(parts: RpcLaneParts) {
    this.name = parts.name;
    this.#parts = parts;
  }

  get lost(): string | undefined {
    return performance.now() - this.#lostAt > RETRY_MS ? undefined : this.#lost;
  }

  async request(call: RpcCall): Promise<unknown> {
    try {
      const result = await this.#parts.transport.request(call);
      this.#lost = undefined;
      return result;
    } catch (cause) {
      if (cause instanceof TransportFault) {
        this.#lost = cause.message;
        this.#lostAt = performance.now();
      }
      throw cause;
    }
  }

  async submit({ raw, hash }: SignedBytes): Promise<LaneReceipt> {
    const { groupId, watch } = this.#parts;
    const receipt = watch.receiptOf(hash);
    try {
      const params = [groupId, toPrefixedHex(raw)];
      await this.request({ method: "sendRawTransaction", params });
    } catch (cause) {
      watch.forget(hash);
      throw cause;
    }
    return await receipt;
  }

  async close(): Promise<void> {
    await this.#parts.transport.close?.();
  }
}
