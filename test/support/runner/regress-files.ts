/**
 * Test files that only a run of all cases has, `npm run soak -- regress`: each is a second look, by
 * other means, at what a file of every run shows.
 */
import { TAKES_ALL_CASES } from "./cases.ts";

/** The file of every run that fails for the same faults, and words in it that say where. */
type StandIn = readonly [file: string, words: string];

/** Below test, without the ending that all have. */
const SECOND_LOOKS: Readonly<Record<string, StandIn>> = {
  "codes/codes-tab": ["codes/codes", "of SECTIONS"],
  "golden/golden-tab": ["golden/golden", "every recorded exchange is answered as recorded"],
  "runtimes/browser/join-dev": ["web/join-panel", "a development chain is joined with one click"],
  "runtimes/browser/join-relay": [
    "runtimes/node/p2p/p2p-relay",
    "two nodes that only dial meet through a relay",
  ],
  "runtimes/browser/join-sm": [
    "runtimes/node/dev/dev-sm",
    "a system contract knows its methods by SM3",
  ],
  "runtimes/browser/join-wss": [
    "runtimes/browser/join-network",
    "joins as an observer and catches up",
  ],
  "runtimes/browser/tab-backup": ["web/node-data", "a chain is saved, wiped and restored"],
  "runtimes/browser/tab-chain": ["runtimes/browser/tab-kept", "a pbft chain goes on by itself"],
  "runtimes/browser/tab-example": [
    "runtimes/browser/tab-rpc",
    "blocks are pushed until nobody wants them",
  ],
  "runtimes/browser/tab-live": ["web/node-page", "watchBoth"],
  "runtimes/browser/tab-room": ["runtimes/browser/store", "merges that find no room"],
  "runtimes/edge/objects/contracts": ["runtimes/node/dev/dev-contracts", "contractsContract"],
  "runtimes/edge/objects/json-rpc": ["runtimes/edge-gateway", "jsonRpcContract"],
  "runtimes/edge/objects/observer": [
    "runtimes/edge/objects/single-sealer",
    "nothing that was acknowledged is lost",
  ],
  "runtimes/edge/objects/sealer-group": [
    "runtimes/edge/objects/single-sealer",
    "nothing that was acknowledged is lost",
  ],
  "runtimes/node/channel/dev-suites": ["runtimes/node/channel/tls-port", "RSA files serve clients"],
  "runtimes/node/cli/export-command": [
    "runtimes/shared/ledger-file/ledger-replay",
    "what is missing or too much in a record is a difference",
  ],
  "runtimes/node/crash/crash-heavy": [
    "core/node/consensus/heavy-transaction",
    "heavy transactions are packed alone",
  ],
  "runtimes/node/crash/crash-pending": [
    "core/rpc/long-answer",
    "pending transactions are those of the moment",
  ],
  "runtimes/node/crash/group-churn": [
    "core/node/group/group-operations",
    "a transaction is committed again after stop and start",
  ],
  "runtimes/node/dev/dev-groups": [
    "core/node/group/group-many",
    "four nodes generate a group, start it",
  ],
  "runtimes/node/dev/dev-ledger": [
    "runtimes/node/cli/check-command",
    "a whole ledger is a row of a table",
  ],
  "runtimes/node/network/network-cuts": ["simulation/simulation", "keep agreement and recover"],
  "runtimes/node/network/network-groups": [
    "core/node/group/group-many",
    "ten groups run on one node",
  ],
  "runtimes/node/network/network-national": [
    "runtimes/node/dev/dev-sm",
    "a contract that all nodes have in one sealed block",
  ],
  "runtimes/node/network/network-raft-cuts": [
    "simulation/raft/simulation",
    "keep agreement and recover",
  ],
  "runtimes/node/network/network-raft-processes": [
    "core/node/consensus/raft-life",
    "after the leader dies another one leads",
  ],
  "runtimes/node/network/network-roles": [
    "runtimes/tools/console/console-chain",
    "roleTests(steps)",
  ],
  "runtimes/node/network/network-rounds": [
    "runtimes/node/crash/crash-kill",
    "a chain that is killed under load",
  ],
  "runtimes/node/network/network-non-members": [
    "core/node/group/non-member",
    "a non-member is entered when it is higher",
  ],
  "runtimes/node/p2p/p2p-forgery": [
    "core/node/sync/catch-up",
    "a node catches up from its one honest peer",
  ],
  "runtimes/node/p2p/p2p-fuzz": [
    "core/network/wire-fuzz",
    "mutated frames neither throw nor hoard, and many reach a han",
  ],
  "runtimes/node/process/start-damaged": [
    "core/node/group/group-repair",
    "damage at a start: the status reports",
  ],
  "runtimes/node/process/start-restored": [
    "core/node/consensus/restored-observer",
    "a restored sealer follows, serves",
  ],
  "runtimes/tools/generator/distribution/console-writer": [
    "runtimes/tools/generator/downloads",
    "a console knows the nodes",
  ],
  "runtimes/tools/generator/distribution/offline-nodes": [
    "runtimes/tools/generator/distribution/program-folder",
    "an offline host serves the next",
  ],
  "runtimes/tools/generator/distribution/program-kill": [
    "runtimes/tools/generator/distribution/program-folder",
    "remains of a run that was cut off",
  ],
  "runtimes/tools/network/dockerfile": [
    "runtimes/node/cli/tarball",
    "chain-node init, cert and start run a node",
  ],
  "runtimes/tools/network/upgrade": [
    "runtimes/tools/network/posed-network",
    "an upgrade counts the sealers of the chain",
  ],
  "web/explorer/gateway": ["runtimes/edge-gateway", "what can be shown is what the nodes answer"],
  "web/explorer/restart": ["web/data/trust", "another chain at the address of a node"],
  "web/explorer/sources": ["web/explorer/check", "a true answer of the"],
  "web/explorer/trust": ["web/data/trust", "the sealers seen first stay trusted"],
  "web/theatre/live": ["web/node-page", "watchBoth"],
  "web/workbench/compiler-worker": [
    "web/workbench/workbench",
    "the first source compiles, deploys",
  ],
  "web/workbench/tab-workbench": ["web/workbench/workbench", "the first source compiles, deploys"],
};

const pathOf = (name: string) => `test/${name}.test.ts`;

/** By the paths of the files. */
export const REGRESS_FILES: Readonly<Record<string, StandIn>> = Object.fromEntries(
  Object.entries(SECOND_LOOKS).map(([name, [file, words]]) => [
    pathOf(name),
    [pathOf(file), words],
  ]),
);

/** Those that a run leaves out. @param words of its command line: a file that is named is run */
export function leftOut(words: readonly string[]): readonly string[] {
  if (TAKES_ALL_CASES) return [];
  const named = words.filter((word) => word.endsWith(".test.ts"));
  return Object.keys(REGRESS_FILES).filter((path) => !named.some((word) => word.endsWith(path)));
}
