/**
 * A lane over the channel port: receipts are pushed. Source: benchmark 3; channel-protocol 4, 6.1
 */
import { MESSAGE_TYPE } from "../../../../core/channel/frame.ts";
import { TransportFault } from "../../../../core/client/client-fault.ts";
import {
  readMessage,
  requestText,
  resultOf,
  type RpcCall,
} from "../../../../core/client/transport.ts";
import { ChannelLink, type ChannelPlace } from "../../../node/client/channel-link.ts";
import type { LaneReceipt } from "../../../shared/benchmark/receipt-watch.ts";
import type { SignedBytes } from "../../../shared/benchmark/signing.ts";
import { type Lane, submitText } from "./lane.ts";

/** How long after a loss the next connection is tried. */
const RETRY_MS = 1_000;
const STATUS = /"status"\s*:\s*"(0x[0-9a-f]+)"/;
const OUTPUT = /"output"\s*:\s*"(0x[0-9a-f]*)"/;

/** The text of bytes, without a copy of them. */
function textOf(data: Uint8Array, encoding: "utf8" | "latin1"): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString(encoding);
}

/** @throws TransportFault when the push is about another transaction, or no receipt */
function readPush(data: Uint8Array, hash: string): LaneReceipt {
  const text = textOf(data, "latin1");
  const [, status] = STATUS.exec(text) ?? [];
  if (status === undefined) throw new TransportFault("what was pushed is no receipt");
  // A refusal after the answer carries zeros in place of the hash. Source: channel-protocol 6.1
  if (Number(status) === 0 && !text.includes(hash))
    throw new TransportFault("the receipt that was pushed is of another transaction");
  return { status: Number(status), output: OUTPUT.exec(text)?.[1] ?? "0x" };
}

/** A connection that is opened when it is used, and again after a loss. */
export class ChannelLane implements Lane {
  readonly name: string;
  readonly #place: ChannelPlace;
  readonly #groupId: number;
  #link: Promise<ChannelLink> | undefined;
  #lost: string | undefined;
  #lostAt = 0;
  #id = 0;

  constructor(place: ChannelPlace, groupId: number) {
    this.name = `${place.host}:${place.port}`;
    this.#place = place;
    this.#groupId = groupId;
  }

  get lost(): string | undefined {
    // From time to time a lost node gets a transaction to show whether it is back.
    return performance.now() - this.#lostAt > RETRY_MS ? undefined : this.#lost;
  }

  async request(call: RpcCall): Promise<unknown> {
    const link = await this.#connect();
    const answer = await link.ask(MESSAGE_TYPE.rpc, Buffer.from(requestText(++this.#id, call)));
    return resultOf(readMessage(textOf(answer.data, "utf8")), call.method);
  }

  async submit(transaction: SignedBytes): Promise<LaneReceipt> {
    const link = await this.#connect();
    const text = submitText(this.#groupId, ++this.#id, transaction);
    const { answer, receipt } = await link.askTransaction(Buffer.from(text, "latin1"));
    const told = textOf(answer.data, "utf8");
    if (told.includes('"error"')) {
      link.forgetReceipt(answer);
      resultOf(readMessage(told), "sendRawTransaction");
    }
    return readPush((await receipt).data, transaction.hash);
  }

  async close(): Promise<void> {
    const link = await this.#link?.catch(() => undefined);
    this.#link = undefined;
    link?.close();
  }

  #connect(): Promise<ChannelLink> {
    if (this.#link) return this.#link;
    const lose = (cause: unknown): void => {
      if (this.#link !== opening) return;
      this.#link = undefined;
      this.#lost = cause instanceof Error ? cause.message : String(cause);
      this.#lostAt = performance.now();
    };
    const opening = ChannelLink.open(this.#place, { onPush: () => undefined, onClosed: lose });
    this.#link = opening;
    opening.then(() => {
      this.#lost = undefined;
    }, lose);
    return opening;
  }
}
