/**
 * WorkingSealerManager at 0x1011: rotates the working sealers of rPBFT by a verifiable random
 * number. This node offers no rPBFT; ledgers may hold such calls. Source: precompiles 15
 */
import { type ByteString, bytesOf } from "../../bytes/byte-string.ts";
import { bigintOfBytes, EMPTY_BYTES } from "../../bytes/bytes.ts";
import { fromHex } from "../../bytes/hex.ts";
import { isVrfPublicKey, vrfRandom, vrfWork } from "../../crypto/curve25519-vrf.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { Table } from "../../storage/live-table.ts";
import { clampedInteger } from "../../ledger/state-rows.ts";
import { CONFIG_TABLE, CONSENSUS_TABLE } from "../../storage/system-tables.ts";
import type { RowView } from "../../storage/table.ts";
import { putSetting } from "./1000-system-config.ts";
import { ROLES_KEY, SEALER, WORKING_SEALER } from "./1003-consensus.ts";
import { columnOf, fromNextBlock, whereColumn } from "./access-rows.ts";
import { type PrecompiledCall, PrecompiledFault } from "./contract.ts";
import { type MethodCall, systemContract } from "./methods.ts";

/** The text that the selector is made of, as the reference spells it. Source: precompiles 15 */
const ROTATE = "rotateWorkingSealer(std::string, std::string, std::string)";
const NOTIFY = "notify_rotate";

/** The contract. */
export const WORKING_SEALERS = systemContract({ isFree: true, methods: { [ROTATE]: rotate } });

/** A configured number and the block from which on it counts. */
interface Setting {
  readonly value: number;
  readonly enabled: number;
}

/** What a rotation is decided by; the lists are sorted. */
interface Sealers {
  readonly idle: readonly ByteString[];
  readonly working: readonly ByteString[];
  /** How many may work. */
  readonly epoch: Setting;
}

function rotate(call: MethodCall): Uint8Array {
  const { overlay, parentNumber } = call.scope;
  const config = overlay.systemTable(CONFIG_TABLE);
  const table = overlay.systemTable(CONSENSUS_TABLE);
  const sealers: Sealers = {
    idle: nodes(call, table, SEALER),
    working: nodes(call, table, WORKING_SEALER),
    epoch: setting(call, config, "rpbft_epoch_sealer_num"),
  };
  const isNotified = inForce(config.select(NOTIFY), parentNumber)?.columns.get("value") === "1";
  const blocks = setting(call, config, "rpbft_epoch_block_num");
  if (!isNotified && !isDue(sealers, blocks, parentNumber)) return EMPTY_BYTES;
  const random = checkedRandom(call, sealers.working);
  if (typeof random === "string") {
    // Undone with the call, but the table counts as written from now on.
    putSetting(call.scope, NOTIFY, "1");
    throw fault(random);
  }
  if (isNotified) putSetting(call.scope, NOTIFY, "0");
  const { removed, inserted } = exchange(sealers);
  const assign = (list: readonly ByteString[], count: number, role: string): void => {
    for (const node of shuffled(list, random, call.scope.suite).slice(0, count)) {
      const columns = fromNextBlock(call.scope, { type: role });
      table.update(ROLES_KEY, columns, whereColumn("node_id", node));
    }
  };
  assign(sealers.working, removed, SEALER);
  assign(sealers.idle, inserted, WORKING_SEALER);
  return EMPTY_BYTES;
}

/** Whether the epoch ended, its size changed, or too few work. Source: precompiles 15.1 */
function isDue({ idle, working, epoch }: Sealers, blocks: Setting, parentNumber: number): boolean {
  if (epoch.enabled === parentNumber) return true;
  if (working.length < Math.min(epoch.value, idle.length + working.length)) return true;
  return (parentNumber - blocks.enabled) % blocks.value === 0;
}

/** The random number of a proof, or what is wrong with it. Source: precompiles 15.2 */
function checkedRandom(call: MethodCall, working: readonly ByteString[]): bigint | string {
  const { parentHash, suite } = call.scope;
  const statement = { publicKey: call.text(0), input: call.text(1), proof: call.text(2) };
  const { publicKey, input } = statement;
  if (input !== parentHash.slice(2)) return "the VRF input is not the hash of the parent block";
  call.work(vrfWork(statement));
  if (!isVrfPublicKey(publicKey)) return "the VRF public key is invalid";
  const random = vrfRandom(statement);
  if (random === undefined) return "the VRF proof is invalid";
  const addresses = working.map((node) => suite.address(fromHex(node) ?? EMPTY_BYTES));
  if (working.length > 0 && !addresses.includes(call.origin)) {
    return "the origin is no working sealer";
  }
  return bigintOfBytes(random);
}

/** How many stop working and how many begin. Source: precompiles 15.3, 15.4 */
function exchange({ idle, working, epoch }: Sealers): { removed: number; inserted: number } {
  const total = idle.length + working.length;
  const wanted = Math.min(epoch.value, total);
  if (total <= 1) return { removed: 0, inserted: 0 };
  if (working.length > wanted) return { removed: working.length - wanted, inserted: 0 };
  if (working.length < wanted) return { removed: 0, inserted: wanted - working.length };
  const step = idle.length > 0 ? 1 : 0;
  return { removed: step, inserted: step };
}

/** The list in the order that the random number gives. Source: precompiles 15.5 */
function shuffled(
  list: readonly ByteString[],
  random: bigint,
  suite: CryptoSuite,
): readonly ByteString[] {
  const order = [...list];
  let next = random;
  for (let i = order.length - 1; i > 0; i--) {
    const j = Number(next % BigInt(i + 1));
    [order[i], order[j]] = [order[j] ?? "", order[i] ?? ""];
    next = bigintOfBytes(suite.hash(bytesOf(String(j))));
  }
  return order;
}

/** Sorted ids of the nodes that have a role in the block below. */
function nodes(call: PrecompiledCall, table: Table, role: string): readonly ByteString[] {
  const { parentNumber } = call.scope;
  return table
    .select(ROLES_KEY, whereColumn("type", role))
    .filter((row) => isInForce(row, parentNumber))
    .map((row) => columnOf(row, "node_id"))
    .sort();
}

function setting(call: PrecompiledCall, config: Table, key: string): Setting {
  const row = inForce(config.select(key), call.scope.parentNumber);
  const value = clampedInteger(row?.columns.get("value"));
  if (row === undefined || value === undefined || value < 1) throw fault(`${key} is not set`);
  return { value, enabled: Number(row.columns.get("enable_num") ?? "0") };
}

function inForce(rows: readonly RowView[], number: number): RowView | undefined {
  return rows.find((row) => isInForce(row, number));
}

function isInForce(row: RowView, number: number): boolean {
  return Number(row.columns.get("enable_num") ?? "0") <= number;
}

function fault(reason: string): PrecompiledFault {
  return new PrecompiledFault("contract", `rotateWorkingSealer exceptioned, error info:${reason}`);
}
