/** Verifies the proof of the lesson, as it was answered or with a byte changed. */
import { ProofFault } from "../../core/client/client-fault.ts";
import { verifyHeader, verifyTransactionProof } from "../../core/client/verify-proof.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import type { Proved } from "./proved-transaction.ts";

/** What came of it: the check that failed by the verifier's own messages. */
export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly fault: string; readonly words: string };

/** Where a byte may be changed, and the text that stands there. */
const PLACES = {
  input: ({ proved }: Proved) => proved.transaction.input,
  sender: ({ proved }: Proved) => proved.transaction.from,
  sibling: ({ proved: { txProof } }: Proved) => txProof[0]?.right[0] ?? txProof[0]?.left[0],
  upper: ({ proved: { txProof } }: Proved) => txProof[1]?.left[0] ?? txProof[1]?.right[0],
  root: ({ header }: Proved) => header.transactionsRoot,
  seal: ({ header }: Proved) => header.signatureList?.[0]?.signature,
  stateRoot: ({ header }: Proved) => header.stateRoot,
};

/** Name of a place where a byte may be changed. */
export type PlaceId = keyof typeof PLACES;

/** One text of hexadecimal digits that may be changed. */
interface Alteration {
  readonly id: PlaceId;
  /** Digits without 0x. */
  readonly digits: string;
}

/** Judges as a client does that trusts the sealers and nobody else. */
export function judge({ header, sealers, proved }: Proved, suite: CryptoSuite): Verdict {
  try {
    verifyHeader(header, sealers, suite);
    verifyTransactionProof(proved, header, { suite, version: NEWEST_VERSION });
    return { ok: true };
  } catch (cause) {
    if (!(cause instanceof ProofFault)) throw cause;
    return { ok: false, fault: cause.reason, words: cause.message };
  }
}

/** The texts that may be changed. */
export function alterations(proved: Proved): readonly Alteration[] {
  return (Object.keys(PLACES) as PlaceId[]).flatMap((id) => {
    const digits = bare(PLACES[id](proved));
    return digits ? [{ id, digits }] : [];
  });
}

function bare(hex: string | undefined): string | undefined {
  return hex?.replace(/^0x/, "");
}

/** The same with one byte of a text changed. @param byte its position */
export function withAlteredByte(from: Proved, id: PlaceId, byte: number): Proved {
  const digits = bare(PLACES[id](from)) ?? "";
  const at = 2 * Math.min(byte, digits.length / 2 - 1);
  const old = Number.parseInt(digits.slice(at, at + 2), 16);
  const changed = (old ^ 0x01).toString(16).padStart(2, "0");
  const altered = digits.slice(0, at) + changed + digits.slice(at + 2);
  // The text stands once in the answer, but for the sender's, which stands nowhere else either.
  const swap = (_: string, value: unknown) =>
    typeof value === "string" && bare(value) === digits ? value.replace(digits, altered) : value;
  return JSON.parse(JSON.stringify(from), swap) as Proved;
}
