/** The units of channel-protocol 6 to 11 and 14. */
import { core, does, fact, type UnitSection } from "./unit.ts";

const OF_CLIENTS = "a fact about clients";
const TIMES = "test/runtimes/node/channel/times.test.ts";
const NEVER_SENT = "the node never sends it";

/** JSON-RPC and transactions. */
const RPC_UNITS: readonly UnitSection[] = [
  {
    section: "6",
    title: "JSON-RPC over the channel",
    rows: [
      does("lists of SDKs count here only"),
      does("limits of requests count here only"),
      does("receipts are pushed here only"),
      does("not JSON: -32700"),
      does("no id: -32604"),
    ],
    texts: [
      does("methods and errors of HTTP"),
      does("result 0; the order of the checks"),
      does("which group a request is of; batches by their elements"),
      does("surplus groups are accepted"),
      does("the same seq in two sessions"),
    ],
  },
  {
    section: "6.1",
    title: "Transactions",
    steps: [does("a request"), does("its hash or an error"), does("its receipt, pushed")],
    rows: [
      does("not in the group"),
      does("unknown group"),
      does("undecodable"),
      core(
        "far behind in sync",
        "test/runtimes/node/channel/group-machines.test.ts",
        "a node that is far behind refuses transactions",
      ),
      does("already in the pool"),
      core(
        "dropped before",
        "test/runtimes/node/channel/group-machines.test.ts",
        "a transaction that expires is reported as refused, and is refused when sent again",
      ),
      does("nonce used on chain"),
      does("nonce used in the pool"),
      does("block limit"),
      does("pool full"),
      does("wrong chain"),
      does("wrong group"),
      does("memory limit"),
      fact("signature bad in the pool's check", "every signature is recovered while decoding"),
      does("dropped later"),
    ],
    texts: [
      does("the sequence"),
      does("the push comes after the answer, to the submitter only"),
      does("members and form of a receipt; proofs"),
      does("refusals by version"),
      does("the message of a refusal; the receipt of a refusal"),
      fact("what clients do with it", OF_CLIENTS),
    ],
  },
  {
    section: "6.2",
    title: "Members that SDKs read",
    rows: [
      does("heights and views are quantities"),
      does("sums are quantities"),
      does("status and output of a call"),
      does("members of a pushed receipt"),
      does("Supported Version"),
      does("lists of node IDs"),
      does("texts of system contracts"),
      does("heights for python-sdk"),
      does("calls for python-sdk"),
      does("receipts for python-sdk"),
      does("errors for python-sdk"),
      does("receipts over HTTP are null until mined"),
      does("height over HTTP"),
      does("receipt of a creation for Caliper"),
      does("call for Caliper"),
      does("receipt for Caliper"),
      does("version for java-sdk"),
      does("list of groups for java-sdk"),
      does("transactions of nodejs-sdk and Caliper"),
      does("transactions of python-sdk"),
      does("transactions of java-sdk"),
    ],
    texts: [does("fields of the transactions"), does("block limits; numbers without zeros")],
  },
];

/** Topics, blocks, events. */
const PUSH_UNITS: readonly UnitSection[] = [
  {
    section: "7.1",
    title: "Topics",
    texts: [does("replace the set; shown by node and peers; go with the session")],
  },
  {
    section: "7.2",
    title: "Block height",
    rows: [does("version 1: text"), does("versions 2 and 3: JSON")],
    texts: [
      does("each block, to sessions with the topic"),
      does("no check of access; none at once"),
    ],
  },
  {
    section: "7.3",
    title: "Event logs",
    rows: [
      does("filterID"),
      does("groupID"),
      does("fromBlock"),
      does("toBlock"),
      does("addresses"),
      does("topics"),
      does("timeout is ignored"),
      does("0"),
      does("1: completed"),
      fact("-41000", NEVER_SENT),
      does("-41001"),
      does("-41002"),
      does("-41003"),
      fact("-41004", NEVER_SENT),
      fact("-41005", NEVER_SENT),
      does("-41006"),
      fact("-41007", NEVER_SENT),
    ],
    texts: [
      does("registration"),
      does("order of the checks; latest; ranges"),
      does("matching"),
      does("pushes; steps of blocks; completion; permission"),
      does("unregistering, in the same session only"),
      does("the codes that are sent"),
      does("a tenth of a second before the first push"),
    ],
  },
];

/** AMOP, results, limits, malformed input. */
const AMOP_UNITS: readonly UnitSection[] = [
  {
    section: "8.1",
    title: "Unicast",
    steps: [
      does("from a client"),
      does("candidates; none: 100"),
      core(
        "one at random, the next on failure",
        "test/core/channel/amop/unicast.test.ts",
        "a node that fails is followed by the next one that has the topic",
      ),
      does("one session at random, the next after 5 s or its end; none: 104"),
      does("the answer travels back unchanged"),
    ],
    texts: [
      does("a silent subscriber: 104 after five seconds"),
      does("subscribers of the same node"),
      does("topics are known to peers soon"),
    ],
  },
  { section: "8.2", title: "Multicast", texts: [does("every session with the topic; the echo")] },
  { section: "8.3", title: "Bandwidth", texts: [does("103 beyond the limit")] },
  {
    section: "8.4",
    title: "Private topics",
    steps: [
      does("the publisher is asked"),
      does("it answers and challenges"),
      does("the subscriber answers"),
      does("the publisher tells the result"),
      does("the topic is verified or failed"),
    ],
    texts: [does("no candidate until verified")],
  },
  {
    section: "9",
    title: "Results",
    rows: [
      does("0"),
      does("100"),
      fact("101", "between nodes of the reference"),
      fact("102", OF_CLIENTS),
      does("103"),
      does("104"),
      fact("99, 105, -5000, -5001", OF_CLIENTS),
    ],
  },
  {
    section: "10",
    title: "Access and limits",
    rows: [
      does("check of the agency"),
      does("lists of SDKs, read again while the node runs"),
      does("requests of a node"),
      does("requests of a group"),
      does("bandwidth of AMOP"),
    ],
    texts: [does("the bucket: full at first, refuses at once, fills again")],
  },
  {
    section: "11",
    title: "Time limits",
    rows: [
      core("60 s idle", TIMES, "a silent session is closed after sixty seconds"),
      core(
        "30 s for the end of TLS",
        TIMES,
        "a client that does not close is cut off after thirty seconds",
      ),
      core(
        "30 s and 5 s of AMOP",
        "test/core/channel/amop/unicast.test.ts",
        "a whole exchange takes thirty seconds at most",
      ),
      core(
        "5 s for 0x37",
        "test/core/channel/amop/topics.test.ts",
        "the publisher is asked again every five seconds until it says something",
      ),
      fact("nodejs-sdk", OF_CLIENTS),
      fact("Caliper", OF_CLIENTS),
      fact("python-sdk", OF_CLIENTS),
      fact("java-sdk", OF_CLIENTS),
    ],
    texts: [fact("who reconnects", OF_CLIENTS)],
  },
  {
    section: "14",
    title: "Malformed input",
    rows: [
      does("length 0"),
      does("length beyond 100 MiB"),
      does("type 0x99"),
      does("0x12 `{`"),
      does("0x14 `x`"),
      does("0x14 without a common version"),
      does("0x14 `{}`"),
      does("0x15 `{`"),
      does("0x15 or 0x16 without data"),
      does("0x30 `00`"),
      does("0x30 with too long a prefix"),
      does("0x30 without data"),
      does("0x32 that is no array"),
      does("0x38 that is no JSON"),
      does("0x12 without data"),
      does("0x30 to nobody"),
      does("0x32 that is no JSON"),
      does("0x13 without data, version 1"),
      does("0x13 without data, version 3"),
      does("two frames in a record"),
      does("byte by byte"),
      does("200 requests at once"),
      does("0x14 with a result"),
      core("61 s without data", TIMES, "a silent session is closed after sixty seconds"),
      does("no certificate, or of another agency"),
    ],
  },
];

/** All of them. */
export const MESSAGE_UNITS: readonly UnitSection[] = [...RPC_UNITS, ...PUSH_UNITS, ...AMOP_UNITS];
