/** The JSON forms in which vector files write model objects, and how they are read. */
import { hexBytes } from "../../core/bytes/hex.ts";
import type { Address, Hash, NodeId } from "../../core/bytes/ids.ts";
import type { Header } from "../../core/model/header.ts";
import type { Receipt } from "../../core/model/receipt.ts";

/** A header with every field as hex text. */
export interface RenderedHeader {
  readonly parentHash: string;
  readonly stateRoot: string;
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  readonly dbHash: string;
  readonly logsBloom: string;
  readonly number: string;
  readonly gasLimit: string;
  readonly gasUsed: string;
  readonly timestamp: string;
  readonly extraData: readonly string[];
  readonly sealer: string;
  readonly sealerList: readonly string[];
}

/** The header that the texts mean. */
export function headerOf(text: RenderedHeader): Header {
  return {
    parentHash: text.parentHash as Hash,
    stateRoot: text.stateRoot as Hash,
    transactionsRoot: text.transactionsRoot as Hash,
    receiptsRoot: text.receiptsRoot as Hash,
    dbHash: text.dbHash as Hash,
    logsBloom: hexBytes(text.logsBloom),
    number: Number(text.number),
    gasLimit: BigInt(text.gasLimit),
    gasUsed: BigInt(text.gasUsed),
    timestamp: BigInt(text.timestamp),
    extraData: text.extraData.map(hexBytes),
    sealer: Number(text.sealer),
    sealerList: text.sealerList as readonly NodeId[],
  };
}

/** A log entry as hex text. */
export interface RenderedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data?: string;
}

/** A receipt with every field as hex text. */
export interface RenderedReceipt {
  readonly root: string;
  readonly gasUsed: string;
  readonly contractAddress: string;
  readonly logsBloom: string;
  readonly status: string;
  readonly output: string;
  readonly remainGas?: string;
  readonly logs: readonly RenderedLog[];
}

/** The receipt that the texts mean. */
export function receiptOf(text: RenderedReceipt): Receipt {
  return {
    root: text.root as Hash,
    gasUsed: BigInt(text.gasUsed),
    contractAddress: text.contractAddress as Address,
    logsBloom: hexBytes(text.logsBloom),
    status: Number(text.status),
    output: hexBytes(text.output),
    remainGas: BigInt(text.remainGas ?? 0),
    logs: text.logs.map((log) => ({
      address: log.address as Address,
      topics: log.topics as readonly Hash[],
      data: hexBytes(log.data ?? "0x"),
    })),
  };
}

/** One level of a proof as hex text without `0x`. */
export interface RenderedProofLevel {
  readonly left: readonly string[];
  readonly right: readonly string[];
}
