/**
 * Answers one request of the channel: the dispatcher with what is different from HTTP.
 * Source: channel-protocol 6, 6.1
 */
import { RpcFault } from "../fault/rpc-fault.ts";
import { POOL_REFUSALS } from "../fault/transaction-status.ts";
import type { NodeApi } from "../api/node-api.ts";
import type { Log } from "../ports/log.ts";
import { ALL_LEAVE, dispatchAnswer, type ObserveCall } from "../rpc/dispatch.ts";
import { failureText } from "../rpc/envelope.ts";
import type { Answer } from "../rpc/long-answer.ts";
import type { Requests } from "../rpc/requests.ts";
import type { Submitted } from "../rpc/method.ts";
import type { Asker } from "../ports/asker.ts";
import type { Pace } from "../limits/pace.ts";
import type { AccessControl } from "./access.ts";
import type { ChannelVersion } from "./session-handle.ts";
import { joinedParts, MAX_DATA_BYTES } from "./frame.ts";
import { refusedReceiptText } from "./receipt-push.ts";

/** What all requests of a port are answered with. */
export interface AnswerContext {
  readonly node: NodeApi;
  readonly access: AccessControl;
  /** Steady milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly observe?: ObserveCall | undefined;
  readonly pace: Pace;
}

/** A text that is read elsewhere. */
export interface ReadText {
  readonly requests: Promise<Requests>;
  /** They are answered. */
  done(): void;
}

/** A request and who asks. */
export interface ChannelRequest {
  readonly text: string | Requests;
  readonly sdkId: string;
  readonly asker: Asker;
  /** In effect when the request arrived: decides how refusals are told. */
  readonly version: ChannelVersion;
  /** Called before the answer is there. */
  readonly onAdmitted: (transaction: Submitted) => void;
  /** Version 3 only: a refusal, as the receipt that is to be pushed. */
  readonly onRefused: (receipt: string) => void;
  /**
   * The answers of a batch have grown by this much; false when no caller waits for them any more.
   */
  readonly onGrown: (bytes: number) => boolean;
}

/** From this version on refusals are pushed. Source: channel-protocol 5.2 */
const PUSHED_REFUSALS: ChannelVersion = 3;

/** The answer in place of one that no frame can hold. Source: channel-protocol 3.1 */
export function oversizeAnswer(): string {
  const { code, message } = new RpcFault("internalError", "The answer is larger than a frame");
  return `${failureText("null", { code, message, hasData: true })}\n`;
}

/** @returns compact JSON and a line feed; never rejects. Source: channel-protocol 6 */
export function answerRequest(context: AnswerContext, request: ChannelRequest): Promise<Answer> {
  const { node, access, now, log, observe, pace } = context;
  const { text, sdkId, asker, version, onAdmitted, onRefused, onGrown } = request;
  return dispatchAnswer(node, text, {
    // No page of the web opens such a connection, and clients have certificates.
    // Source: decision 24; decision 31
    ...ALL_LEAVE,
    log,
    observe,
    pace,
    asker,
    onGrown,
    // The line feed is one of the bytes.
    maxAnswer: MAX_DATA_BYTES - 1,
    guard: (value) => access.turn(value, sdkId, now()),
    submissions: {
      pushesRefusals: version >= PUSHED_REFUSALS,
      admitted: onAdmitted,
      refused: (refusal) => onRefused(refusedReceiptText(POOL_REFUSALS[refusal].status)),
    },
  });
}

/** Longer texts are read elsewhere, where that is possible. */
const LONG_TEXT_BYTES = 256 * 1024;

/**
 * Reads a text elsewhere, with the memory of its parts but the first.
 *
 * @param owner who has one turn of all who have them
 */
export type ReadLong = (parts: readonly Uint8Array[], owner: string) => ReadText;

/** How texts are read. */
export interface TextReaders {
  readonly codec: { text(bytes: Uint8Array): string };
  readonly readLong?: ReadLong | undefined;
}

/**
 * The text of a request, or where it is read; nothing of that is kept once its client has gone.
 *
 * @param onHeld told of what is held of it besides its parts
 */
export function textOf(
  { codec, readLong }: TextReaders,
  parts: readonly Uint8Array[],
  { asker, onHeld }: { readonly asker: Asker; readonly onHeld: (bytes: number) => void },
): string | ReadText {
  const isLong = parts.some((part) => part.length > LONG_TEXT_BYTES);
  if (!isLong || !readLong) return codec.text(joinedParts(parts));
  // The first lies behind the head of its frame, which is still needed.
  onHeld(parts[0]?.length ?? 0);
  const read = readLong(parts, asker.address);
  const stay = asker.whenGone(() => read.done());
  return {
    requests: read.requests,
    done() {
      stay();
      read.done();
    },
  };
}
