/** The precompiled contracts with their ABIs. Source: precompiles 1, 4-16 */
import { type AbiList, abiOfSignatures } from "../../core/client/abi-list.ts";

/** A contract that every chain has. */
interface PrecompiledEntry {
  /** 0x and 40 lower-case digits. */
  readonly address: string;
  readonly name: string;
  readonly abi: AbiList;
}

const TABLE_FACTORY = [
  "createTable(string table,string keyField,string valueFields) returns (int256)",
  "openTable(string table) view returns (address)",
];

const SIGNATURES: Readonly<Record<string, readonly [name: string, lines: readonly string[]]>> = {
  "1000": ["SystemConfig", ["setValueByKey(string key,string value) returns (int256)"]],
  "1001": ["TableFactory", TABLE_FACTORY],
  "1002": [
    "CRUD",
    [
      "insert(string table,string key,string entry,string optional) returns (int256)",
      "update(string table,string key,string entry,string condition,string optional)" +
        " returns (int256)",
      "remove(string table,string key,string condition,string optional) returns (int256)",
      "select(string table,string key,string condition,string optional) view returns (string)",
      "desc(string table) view returns (string keyField,string valueFields)",
    ],
  ],
  "1003": [
    "Consensus",
    [
      "addSealer(string nodeId) returns (int256)",
      "addObserver(string nodeId) returns (int256)",
      "remove(string nodeId) returns (int256)",
    ],
  ],
  "1004": [
    "CNS",
    [
      "insert(string name,string version,string address,string abi) returns (int256)",
      "selectByName(string name) view returns (string)",
      "selectByNameAndVersion(string name,string version) view returns (string)",
      "getContractAddress(string name,string version) view returns (address)",
    ],
  ],
  "1005": [
    "Permission",
    [
      "insert(string table,string address) returns (int256)",
      "remove(string table,string address) returns (int256)",
      "queryByName(string table) view returns (string)",
      "grantWrite(address contract,address user) returns (int256)",
      "revokeWrite(address contract,address user) returns (int256)",
      "queryPermission(address contract) view returns (string)",
    ],
  ],
  "1006": [
    "ParallelConfig",
    [
      "registerParallelFunctionInternal(address contract,string signature,uint256 criticalSize)" +
        " returns (int256)",
      "unregisterParallelFunctionInternal(address contract,string signature) returns (int256)",
    ],
  ],
  "1007": [
    "ContractLifeCycle",
    [
      "freeze(address contract) returns (int256)",
      "unfreeze(address contract) returns (int256)",
      "grantManager(address contract,address user) returns (int256)",
      "revokeManager(address contract,address user) returns (int256)",
      "getStatus(address contract) view returns (int256,string)",
      "listManager(address contract) view returns (int256,address[])",
    ],
  ],
  "1008": [
    "ChainGovernance",
    [
      "grantCommitteeMember(address user) returns (int256)",
      "revokeCommitteeMember(address user) returns (int256)",
      "listCommitteeMembers() view returns (string)",
      "updateCommitteeMemberWeight(address user,int256 weight) returns (int256)",
      "queryCommitteeMemberWeight(address user) view returns (bool,int256)",
      "updateThreshold(int256 percent) returns (int256)",
      "queryThreshold() view returns (int256)",
      "queryVotesOfMember(address member) view returns (string)",
      "queryVotesOfThreshold() view returns (string)",
      "grantOperator(address user) returns (int256)",
      "revokeOperator(address user) returns (int256)",
      "listOperators() view returns (string)",
      "freezeAccount(address account) returns (int256)",
      "unfreezeAccount(address account) returns (int256)",
      "getAccountStatus(address account) view returns (string)",
    ],
  ],
  "1009": [
    "GasChargeManage",
    [
      "charge(address account,uint256 gas) returns (int256,uint256)",
      "deduct(address account,uint256 gas) returns (int256,uint256)",
      "queryRemainGas(address account) view returns (int256,uint256)",
      "grantCharger(address charger) returns (int256)",
      "revokeCharger(address charger) returns (int256)",
      "listChargers() view returns (address[])",
    ],
  ],
  "1010": ["KVTableFactory", TABLE_FACTORY],
  "5002": [
    "DagTransfer",
    [
      "userAdd(string user,uint256 balance) returns (uint256)",
      "userSave(string user,uint256 amount) returns (uint256)",
      "userDraw(string user,uint256 amount) returns (uint256)",
      "userTransfer(string from,string to,uint256 amount) returns (uint256)",
      "userBalance(string user) view returns (uint256,uint256)",
    ],
  ],
  "5003": ["Paillier", ["paillierAdd(string cipher1,string cipher2) view returns (string)"]],
  "5004": [
    "GroupSig",
    [
      "groupSigVerify(string signature,string message,string groupInfo,string parameters)" +
        " view returns (bool)",
    ],
  ],
  "5005": [
    "RingSig",
    ["ringSigVerify(string signature,string message,string parameters) view returns (bool)"],
  ],
  "5006": [
    "Crypto",
    [
      "sm3(bytes data) view returns (bytes32)",
      "keccak256Hash(bytes data) view returns (bytes32)",
      "sm2Verify(bytes32 message,bytes publicKey,bytes32 r,bytes32 s) view returns (bool,address)",
      "curve25519VRFVerify(string input,string publicKey,string proof)" +
        " view returns (bool,uint256)",
    ],
  ],
};

/** All precompiled contracts that a user may call, by address. */
export const PRECOMPILED: readonly PrecompiledEntry[] = Object.entries(SIGNATURES).map(
  ([digits, [name, lines]]) => ({
    address: `0x${digits.padStart(40, "0")}`,
    name,
    abi: abiOfSignatures(lines),
  }),
);

/** The precompiled contract at an address. */
export function precompiledAt(address: string): PrecompiledEntry | undefined {
  return PRECOMPILED.find((it) => it.address === address.toLowerCase());
}
