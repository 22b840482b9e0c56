/** A host that passes everything on: tests override what they watch. */
import assert from "node:assert/strict";
import type { Entry, EvmHost, FrameResult, Message } from "../../../core/execution/evm/message.ts";

/** Stands between the interpreter and the host of the executive, which is set for each run. */
export class HostDelegate implements EvmHost {
  #inner: EvmHost | undefined;

  set inner(inner: EvmHost) {
    this.#inner = inner;
  }

  get inner(): EvmHost {
    assert.ok(this.#inner, "the executive has a host");
    return this.#inner;
  }

  loadSlot(...all: Parameters<EvmHost["loadSlot"]>): ReturnType<EvmHost["loadSlot"]> {
    return this.inner.loadSlot(...all);
  }

  storeSlot(...all: Parameters<EvmHost["storeSlot"]>): ReturnType<EvmHost["storeSlot"]> {
    return this.inner.storeSlot(...all);
  }

  accountExists(...all: Parameters<EvmHost["accountExists"]>): boolean {
    return this.inner.accountExists(...all);
  }

  balance(...all: Parameters<EvmHost["balance"]>): bigint {
    return this.inner.balance(...all);
  }

  codeSize(...all: Parameters<EvmHost["codeSize"]>): number {
    return this.inner.codeSize(...all);
  }

  code(...all: Parameters<EvmHost["code"]>): Uint8Array {
    return this.inner.code(...all);
  }

  codeHash(...all: Parameters<EvmHost["codeHash"]>): Uint8Array | undefined {
    return this.inner.codeHash(...all);
  }

  blockHash(...all: Parameters<EvmHost["blockHash"]>): Uint8Array | undefined {
    return this.inner.blockHash(...all);
  }

  log(...all: Parameters<EvmHost["log"]>): void {
    this.inner.log(...all);
  }

  selfDestruct(...all: Parameters<EvmHost["selfDestruct"]>): void {
    this.inner.selfDestruct(...all);
  }

  enter(message: Message): Entry {
    return this.inner.enter(message);
  }

  leave(message: Message, result: FrameResult): FrameResult {
    return this.inner.leave(message, result);
  }
}
