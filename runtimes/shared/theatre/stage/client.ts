/** The client of a stage: signs transactions and gives them to nodes. */
import { encodeCall } from "../../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import type { Address, NodeId } from "../../../../core/bytes/ids.ts";
import { signTransaction } from "../../../../core/model/transaction.ts";
import type { GroupApi, SubmitOutcome } from "../../../../core/api/node-api.ts";
import { CHAIN_ID } from "./chain-setup.ts";
import { CLIENT, type StageSuite } from "./suite.ts";

const CONSENSUS = addressOfNumber(0x1003);
const GAS = 300_000_000n;
/** A transaction may wait for this many blocks. */
const BLOCKS = 500;
const EMPTY = new Uint8Array(0);

/** What a transaction does. */
interface Call {
  readonly to: Address | null;
  readonly input: Uint8Array;
}

/** How a node's part in the group is changed. */
export type MemberMethod = "addSealer" | "addObserver" | "remove";

/** Sends transactions; each has a number of its own. */
export class Client {
  readonly #suite: StageSuite;
  #nonce = 0n;

  constructor(suite: StageSuite) {
    this.#suite = suite;
  }

  /** Creates a contract without code, whose storage holds a number. */
  send(group: GroupApi): Promise<SubmitOutcome> {
    const value = Number(this.#nonce % 65_536n);
    const input = Uint8Array.of(0x60, value & 255, 0x60, value >>> 8, 0x55, 0x60, 0, 0x60, 0, 0xf3);
    return this.#submit(group, { to: null, input });
  }

  /** Changes the lists of members. */
  changeMember(group: GroupApi, method: MemberMethod, nodeId: NodeId): Promise<SubmitOutcome> {
    const input = encodeCall(`${method}(string)`, [nodeId], this.#suite.hash);
    return this.#submit(group, { to: CONSENSUS, input });
  }

  #submit(group: GroupApi, call: Call): Promise<SubmitOutcome> {
    const fields = {
      nonce: this.#nonce++,
      gasPrice: 1n,
      gas: GAS,
      blockLimit: BigInt(group.ledger.head().number + BLOCKS),
      value: 0n,
      chainId: BigInt(CHAIN_ID),
      groupId: BigInt(group.groupId),
      extraData: EMPTY,
      ...call,
    };
    return group.submit(signTransaction(fields, CLIENT, this.#suite).raw);
  }
}
