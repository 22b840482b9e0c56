/** A thread for tests of the executor host: its blocks say in their extra data what it is to do. */
import { bytesOf, textOfByteString, byteString } from "../../../../core/bytes/byte-string.ts";
import { hashOf } from "../../../../core/bytes/hex.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { InvariantFault, invariant } from "../../../../core/fault/invariant.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import type { ExecuteOutcome, ExecuteRequest } from "../../../../core/ports/executor.ts";
import { serveSlots } from "../../../../runtimes/node/threads/executor-service.ts";

/** The longest a block may keep the thread busy: a test that waits this long has failed. */
const LONGEST_MS = 10_000;
const suite = createStandardSuite();

function spin(cancelled: () => boolean): boolean {
  const end = performance.now() + LONGEST_MS;
  while (performance.now() < end) if (cancelled()) return true;
  return false;
}

/** Until the heap is full. Numbers are neither copied nor examined when memory is cleared. */
function exhaust(): never {
  for (const hoard: number[][] = []; ; ) hoard.push(new Array<number>(1_000_000).fill(0.5));
}

/** A hash over everything in the request, so that one wrong byte shows. */
function digestOf({ transactions, hashes, senders }: ExecuteRequest): Hash {
  const text = bytesOf([...hashes, ...senders, transactions.map((t) => t.length)].join());
  return hashOf(suite.hash(concatBytes(text, ...transactions)));
}

serveSlots(async (setup: string, cancelled) => {
  if (setup === "refuse") throw new StoreFault("corrupt", "the ledger is damaged");
  let executed: Hash | undefined;
  return {
    async execute(request, onHeavy): Promise<ExecuteOutcome> {
      const order = textOfByteString(byteString(request.header.extraData[0] ?? new Uint8Array()));
      if (order === "exit") process.exit(7);
      if (order === "fault") throw new InvariantFault("two heads at one number");
      if (order === "exhaust") exhaust();
      if (order === "heavy") {
        const [hash] = request.hashes;
        invariant(hash !== undefined, "an order has a transaction");
        onHeavy?.({ hash, ms: 512 });
      }
      if ((order === "spin" || order === "heavy") && spin(cancelled)) {
        return { ok: false, reason: "cancelled", heavy: request.hashes[0] };
      }
      executed = digestOf(request);
      return { ok: true, block: { header: request.header, hash: executed } };
    },
    async write(hash, seals) {
      if (seals.length === 0) throw new StoreFault("io", "no space left");
      invariant(hash === executed, "only the executed block is written");
    },
    async close() {},
  };
});
