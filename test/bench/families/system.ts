/** System contracts: names, permissions, configuration, governance, parallel functions. */
import type { Address } from "../../../core/bytes/ids.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { ALICE, SEALERS, type TestChain } from "../../support/execution/test-chain.ts";
import { callOf, type Family, numbers, plainFamily, someAddress } from "./family.ts";

const SIZE = 200;
const CONFIG = 0x1000;
const CONSENSUS = 0x1003;
const NAMES = 0x1004;
const PERMISSION = 0x1005;
const PARALLEL = 0x1006;
const LIFE_CYCLE = 0x1007;
const GOVERNANCE = 0x1008;
const GAS = 0x1009;
const TRANSFER = 0x5002;

const nameOf = (index: number): string => `Contract${index}`;

function nameContract(index: number) {
  const texts = [nameOf(index), "1.0", someAddress(index), '[{"type":"function"}]'];
  return callOf(NAMES, "insert(string,string,string,string)", texts);
}

async function nameAll(chain: TestChain): Promise<void> {
  await chain.block(...numbers(SIZE).map(nameContract));
}

/** ALICE is the committee. */
async function withCommittee(chain: TestChain): Promise<void> {
  await chain.send(callOf(GOVERNANCE, "grantCommitteeMember(address)", [ALICE]));
}

async function withCharger(chain: TestChain): Promise<void> {
  await withCommittee(chain);
  await chain.send(callOf(GAS, "grantCharger(address)", [ALICE]));
}

async function withUsers(chain: TestChain): Promise<void> {
  const add = (i: number) => callOf(TRANSFER, "userAdd(string,uint256)", [`user${i}`, 1_000n]);
  await chain.block(...numbers(2 * SIZE).map(add));
}

async function withPermissions(chain: TestChain): Promise<void> {
  await chain.send(callOf(PERMISSION, "insert(string,string)", ["t", ALICE]));
}

async function withTable(chain: TestChain): Promise<void> {
  const create = "createTable(string,string,string)";
  await chain.send(callOf(0x1001, create, ["t", "k", "v"]));
}

/** Freezes and unfreezes contracts of ALICE in turns. */
const FREEZING: Family = {
  name: "ContractLifeCycle: freeze",
  size: SIZE,
  async block(chain) {
    const contracts: Address[] = [];
    for (let i = 0; i < 4; i++) contracts.push(await chain.deploy(assemble("stop")));
    const calls = numbers(SIZE).map((i) => {
      const contract = contracts[(i >> 1) % contracts.length] ?? ALICE;
      return callOf(LIFE_CYCLE, `${i % 2 === 0 ? "freeze" : "unfreeze"}(address)`, [contract]);
    });
    return { head: [], calls };
  },
};

/** Families of system contracts. */
export const SYSTEM_FAMILIES: readonly Family[] = [
  plainFamily("SystemConfig: set", SIZE, (i) =>
    callOf(CONFIG, "setValueByKey(string,string)", ["tx_count_limit", `${1_000 + i}`]),
  ),
  plainFamily("Consensus: change a role", SIZE, (i) =>
    callOf(CONSENSUS, `${i % 2 === 0 ? "addObserver" : "addSealer"}(string)`, [SEALERS[1] ?? ""]),
  ),
  plainFamily("CNS: insert", SIZE, nameContract),
  plainFamily(
    "CNS: select by name",
    SIZE,
    (i) => callOf(NAMES, "selectByName(string)", [nameOf(i)]),
    nameAll,
  ),
  {
    ...plainFamily("Permission: insert", SIZE, (i) =>
      callOf(PERMISSION, "insert(string,string)", [`t${i >> 3}`, someAddress(i)]),
    ),
    prepare: async (chain) => {
      const create = (i: number) =>
        callOf(0x1001, "createTable(string,string,string)", [`t${i}`, "k", "v"]);
      await chain.block(...numbers(SIZE >> 3).map(create));
    },
  },
  plainFamily(
    "Permission: query",
    SIZE,
    () => callOf(PERMISSION, "queryByName(string)", ["t"]),
    async (chain) => {
      await withTable(chain);
      await withPermissions(chain);
    },
  ),
  plainFamily("ParallelConfig: register", SIZE, (i) => {
    const signature = "registerParallelFunctionInternal(address,string,uint256)";
    return callOf(PARALLEL, signature, [someAddress(0), `pay${i}(string,string,uint256)`, 2n]);
  }),
  plainFamily(
    "DagTransfer: transfer",
    SIZE,
    (i) => {
      const values = [`user${2 * i}`, `user${2 * i + 1}`, 1n];
      return callOf(TRANSFER, "userTransfer(string,string,uint256)", values);
    },
    withUsers,
  ),
  FREEZING,
  plainFamily(
    "ChainGovernance: grant an operator",
    SIZE,
    (i) => callOf(GOVERNANCE, "grantOperator(address)", [someAddress(i)]),
    withCommittee,
  ),
  plainFamily(
    "GasCharge: charge",
    SIZE,
    (i) => callOf(GAS, "charge(address,uint256)", [someAddress(i), 5n]),
    withCharger,
  ),
];
