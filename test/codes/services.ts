/** Codes of the system contracts. Source: interface 7.5; precompiles 3-16, 18 */
import type { AbiValue } from "../../core/abi/encode.ts";
import type { CodeCase, CodeReason, OpenControlSocket } from "./code-case.ts";
import { account, type Entry, nodeOf } from "./entry.ts";
import { HUGE_GAS, hugeValueProgram } from "./huge-value.ts";

const SYSTEM = 0x1000;
const TABLES = 0x1001;
const CRUD = 0x1002;
const CONSENSUS = 0x1003;
const CNS = 0x1004;
const PERMISSION = 0x1005;
const LIFE_CYCLE = 0x1007;
const GOVERNANCE = 0x1008;
const PAILLIER = 0x5003;
const GROUP_SIGNATURE = 0x5004;
const RING_SIGNATURE = 0x5005;

type Call = readonly [contract: number, signature: string, ...values: AbiValue[]];

/** A case of calls one after the other; the last one shows the code. */
function calls(code: number, test: string, ...list: readonly Call[]): CodeCase {
  return {
    code,
    test,
    run: async (open) => {
      const entry = await open();
      for (const call of list) await entry.run(...call);
    },
  };
}

/** A case that needs the addresses of contracts or of other accounts. */
function steps(code: number, test: string, run: (entry: Entry) => Promise<unknown>): CodeCase {
  return { code, test, run: async (open: OpenControlSocket) => run(await open()) };
}

const CREATE = "createTable(string,string,string)";
const create = (name: string, key: string, fields: string): Call => [
  TABLES,
  CREATE,
  name,
  key,
  fields,
];
const INSERT = "insert(string,string,string,string)";
const GRANT = "insert(string,string)";
const MEMBER = "grantCommitteeMember(address)";
const beMember: Call = [GOVERNANCE, MEMBER, account(1)];
const long = (length: number): string => "x".repeat(length);

const OF_TABLES: readonly CodeCase[] = [
  calls(0, "a table is created", create("t", "k", "v")),
  calls(
    -50_000,
    "the configuration is changed when another account has the permission",
    [PERMISSION, GRANT, "_sys_config_", account(2)],
    [SYSTEM, "setValueByKey(string,string)", "tx_count_limit", "500"],
  ),
  calls(-50_001, "a table is created twice", create("t", "k", "v"), create("t", "k", "v")),
  calls(-50_002, "a table has a name of 49 characters", create(long(49), "k", "v")),
  calls(-50_003, "a table has a field name of 65 characters", create("t", "k", long(65))),
  calls(
    -50_004,
    "a table has field names of more than 1024 characters",
    create("t", "k", Array.from({ length: 20 }, (_, at) => `${long(58)}${10 + at}`).join(",")),
  ),
  calls(-50_005, "a row has a key of 256 bytes", create("t", "k", "v"), [
    CRUD,
    INSERT,
    "t",
    long(256),
    '{"v":"1"}',
    "",
  ]),
  {
    code: -50_006,
    test: "a contract inserts a row with a field of 16 MiB",
    run: async (open) => {
      const entry = await open({ genesis: { gasLimit: HUGE_GAS } });
      await entry.run(...create("t", "k", "v"));
      await entry.send({ input: hugeValueProgram() });
    },
  },
  calls(-50_007, "a table names a field twice", create("t", "k", "v,v")),
  calls(-50_008, "a table has a field that begins with an underscore", create("t", "k", "_v")),
  calls(-50_100, "a row is inserted into a table that does not exist", [
    CRUD,
    INSERT,
    "none",
    "x",
    "{}",
    "",
  ]),
  calls(-50_101, "CRUD is called with a function that it lacks", [CRUD, "none()"]),
  calls(-51_500, "a row is inserted that is no JSON", create("t", "k", "v"), [
    CRUD,
    INSERT,
    "t",
    "x",
    "{",
    "",
  ]),
  calls(-51_501, "rows are removed on a condition that is no JSON", create("t", "k", "v"), [
    CRUD,
    "remove(string,string,string,string)",
    "t",
    "x",
    "{",
    "",
  ]),
  calls(-51_502, "rows are removed on an operator that there is not", create("t", "k", "v"), [
    CRUD,
    "remove(string,string,string,string)",
    "t",
    "x",
    '{"v":{"like":"1"}}',
    "",
  ]),
];

const register = (version: string, address: string): Call => [
  CNS,
  INSERT,
  "name",
  version,
  address,
  "[]",
];

const OF_CONFIGURATION: readonly CodeCase[] = [
  calls(-50_102, "a name is registered for a text that is no address", register("1", "zz")),
  calls(-51_100, "a sealer is added with half a node ID", [
    CONSENSUS,
    "addSealer(string)",
    nodeOf(0).slice(64),
  ]),
  calls(-51_101, "the only sealer is removed", [CONSENSUS, "remove(string)", nodeOf(0)]),
  calls(
    -51_200,
    "a name and version are registered twice",
    register("1", account(2)),
    register("1", account(2)),
  ),
  calls(-51_201, "a version of 129 characters is registered", register(long(129), account(2))),
  calls(-51_300, "the configuration gets a key that it lacks", [
    SYSTEM,
    "setValueByKey(string,string)",
    "none",
    "1",
  ]),
];

const OF_PERMISSION: readonly CodeCase[] = [
  calls(
    -51_000,
    "a table is granted twice",
    [PERMISSION, GRANT, "t", account(2)],
    [PERMISSION, GRANT, "t", account(2)],
  ),
  calls(-51_001, "a grant is removed that there is not", [
    PERMISSION,
    "remove(string,string)",
    "t",
    account(2),
  ]),
  calls(-51_002, "a table with a name of 65 characters is granted", [
    PERMISSION,
    GRANT,
    long(65),
    account(2),
  ]),
  calls(-51_003, "an address without a contract is granted", [
    PERMISSION,
    "grantWrite(address,address)",
    account(3),
    account(2),
  ]),
  calls(-51_004, "the table of the committee is granted", [
    PERMISSION,
    GRANT,
    "_sys_table_access_",
    account(2),
  ]),
];

const ADMIT = "grantManager(address,address)";

const OF_LIFE_CYCLE: readonly CodeCase[] = [
  steps(-51_900, "a contract is frozen twice", async (entry) => {
    const contract = await entry.deploy();
    await entry.run(LIFE_CYCLE, "freeze(address)", contract);
    await entry.run(LIFE_CYCLE, "freeze(address)", contract);
  }),
  steps(-51_901, "a contract that is not frozen is unfrozen", async (entry) =>
    entry.run(LIFE_CYCLE, "unfreeze(address)", await entry.deploy()),
  ),
  steps(-51_902, "a manager of a contract is made one again", async (entry) =>
    entry.run(LIFE_CYCLE, ADMIT, await entry.deploy(), account(1)),
  ),
  steps(-51_903, "an account is frozen as if it were a contract", async (entry) => {
    await entry.deploy();
    await entry.run(LIFE_CYCLE, "freeze(address)", account(1));
  }),
  calls(-51_904, "an address without a contract is frozen", [
    LIFE_CYCLE,
    "freeze(address)",
    account(3),
  ]),
  steps(-51_905, "a contract of another account is frozen", async (entry) =>
    entry.run(LIFE_CYCLE, "freeze(address)", await entry.deploy(2)),
  ),
];

const THRESHOLD = "updateThreshold(int256)";
const FREEZE = "freezeAccount(address)";

const OF_GOVERNANCE: readonly CodeCase[] = [
  calls(-52_000, "a member of the committee is granted again", beMember, beMember),
  calls(-52_001, "somebody else than a member is revoked", beMember, [
    GOVERNANCE,
    "revokeCommitteeMember(address)",
    account(2),
  ]),
  calls(-52_002, "an operator is granted by somebody else than a member", [
    GOVERNANCE,
    "grantOperator(address)",
    account(2),
  ]),
  calls(-52_003, "a threshold of 101 per cent is asked for", beMember, [
    GOVERNANCE,
    THRESHOLD,
    101n,
  ]),
  calls(
    -52_004,
    "an operator is granted as a member",
    beMember,
    [GOVERNANCE, "grantOperator(address)", account(2)],
    [GOVERNANCE, MEMBER, account(2)],
  ),
  calls(-52_005, "a member is granted as an operator", beMember, [
    GOVERNANCE,
    "grantOperator(address)",
    account(1),
  ]),
  calls(
    -52_006,
    "an operator is granted twice",
    beMember,
    [GOVERNANCE, "grantOperator(address)", account(2)],
    [GOVERNANCE, "grantOperator(address)", account(2)],
  ),
  calls(-52_007, "somebody else than an operator is revoked", beMember, [
    GOVERNANCE,
    "revokeOperator(address)",
    account(2),
  ]),
  calls(-52_008, "an account that never did anything is frozen", beMember, [
    GOVERNANCE,
    FREEZE,
    account(2),
  ]),
  steps(-52_009, "a contract is frozen as if it were an account", async (entry) => {
    const contract = await entry.deploy();
    await entry.run(...beMember);
    await entry.run(GOVERNANCE, FREEZE, contract);
  }),
  steps(-52_010, "an account that is not frozen is unfrozen", async (entry) => {
    await entry.deploy(2);
    await entry.run(...beMember);
    await entry.run(GOVERNANCE, "unfreezeAccount(address)", account(2));
  }),
  steps(-52_011, "an account is frozen twice", async (entry) => {
    await entry.deploy(2);
    await entry.run(...beMember);
    await entry.run(GOVERNANCE, FREEZE, account(2));
    await entry.run(GOVERNANCE, FREEZE, account(2));
  }),
  calls(-52_012, "the threshold is set to what it is", beMember, [GOVERNANCE, THRESHOLD, 50n]),
];

const OF_PROOFS: readonly CodeCase[] = [
  calls(-51_600, "texts that are no ciphers are added", [
    PAILLIER,
    "paillierAdd(string,string)",
    "x",
    "y",
  ]),
  calls(-51_700, "a text that is no group signature is verified", [
    GROUP_SIGNATURE,
    "groupSigVerify(string,string,string,string)",
    "x",
    "message",
    "x",
    "x",
  ]),
  calls(-51_800, "a text that is no ring signature is verified", [
    RING_SIGNATURE,
    "ringSigVerify(string,string,string)",
    "x",
    "message",
    "x",
  ]),
];

/** The cases, from success down. */
export const SERVICE_CASES: readonly CodeCase[] = [
  ...OF_TABLES,
  ...OF_CONFIGURATION,
  ...OF_PERMISSION,
  ...OF_LIFE_CYCLE,
  ...OF_GOVERNANCE,
  ...OF_PROOFS,
].sort((left, right) => right.code - left.code);

const BY_SDK = "an SDK finds this out before it sends anything; no contract returns it";

/** The codes that no answer has. */
export const SERVICE_REASONS: readonly CodeReason[] = [
  { code: -51_102, reason: BY_SDK },
  { code: -51_103, reason: BY_SDK },
  { code: -51_104, reason: BY_SDK },
  { code: -51_105, reason: BY_SDK },
];
