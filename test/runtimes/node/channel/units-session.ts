/** The units of channel-protocol 2 to 5. */
import { core, does, fact, type UnitSection } from "./unit.ts";

const OF_CLIENTS = "a fact about clients";
const OF_REFERENCE = "a fact about the reference";
const HEADING = "introduces the table below it";
const TIMES = "test/runtimes/node/channel/times.test.ts";

/** Transport, frames, message types, session. */
export const SESSION_UNITS: readonly UnitSection[] = [
  {
    section: "2.1",
    title: "TCP",
    rows: [
      does("listens at channel_listen_ip, or on this machine with a line that names the key"),
      does("listens on channel_listen_port"),
      fact("channel_thread_count", `${OF_REFERENCE}; here it has no effect`),
      does("sessions up to channel_max_sessions, 2,000 by default"),
      core(
        "closes a session after 60 s without a byte",
        TIMES,
        "a silent session is closed after sixty seconds",
      ),
      does("shuts TLS down before TCP"),
    ],
    texts: [does("answers may come in any order, under their seq")],
  },
  {
    section: "2.2",
    title: "TLS",
    rows: [
      does("TLS 1.2 only"),
      does("secp256k1 is settled"),
      does("AES-GCM suites of ECDHE-ECDSA"),
      does("sends node.crt in its order"),
      does("trusts ca.crt"),
      does("wants a certificate of the client"),
      does("no name is examined"),
      does("no tickets, no ALPN"),
      does("RSA mode by chain.rsa_crypto_channel"),
      core(
        "national chains: ordinary TLS with conf/origin_cert",
        "test/runtimes/node/channel/dev-suites.test.ts",
        "a national chain serves SDKs over ordinary TLS",
      ),
      does("takes a root of version 1 without extensions"),
      does("takes an agency with constraints only"),
      does("takes leaves with constraints and usage"),
    ],
    texts: [
      does("all shapes of certificates are taken"),
      does("ecdsa-with-SHA256; the subject names nobody"),
      does("compares the issuer, unless check_cert_issuer is false"),
      does("the identity of an SDK is its public key"),
    ],
  },
  {
    section: "2.2.1",
    title: "RSA mode",
    rows: [
      does("takes a root of RSA 2048"),
      does("takes leaves without constraints, or with CA:TRUE"),
      does("takes PKCS#8 keys"),
      does("compares no issuer"),
      does("no list restricts anybody"),
      does("clients with secp256k1 alone are served"),
      does("offers secp256k1 and static RSA"),
    ],
    texts: [does("files of the other mode are refused")],
  },
  {
    section: "2.2.2",
    title: "Outcomes of TLS",
    rows: [
      does("full path: admitted"),
      does("leaf only: refused"),
      does("another agency: refused"),
      does("another chain: refused"),
      does("no certificate: refused"),
      does("groups without secp256k1: refused"),
      fact("TLS 1.3 with secp256k1 alone", "such a client ends before it sends anything"),
    ],
    texts: [
      fact("how outcomes were observed", HEADING),
      does("what a server in Node.js needs"),
      does("a refused handshake closes TCP and concerns nobody else"),
    ],
  },
  {
    section: "2.3",
    title: "Frames and records",
    texts: [
      does("each frame begins and ends with a record"),
      does("so under sixty requests at once and long answers"),
    ],
  },
  {
    section: "3",
    title: "Frame",
    rows: [
      does("length, head included"),
      does("type"),
      does("seq, echoed as it came"),
      does("result"),
      does("data"),
    ],
    texts: [does("topics before contents, up to 254 bytes")],
  },
  {
    section: "3.1",
    title: "Reading",
    rows: [
      does("longer than 100 MiB: closed"),
      does("exactly 100 MiB: taken"),
      does("incomplete: waited for"),
      does("shorter than a head: closed"),
      does("unknown type: ignored"),
      does("data of another form: the session stays"),
      does("no topic prefix: ignored"),
      does("0x30 without data: ignored"),
      does("0x30 with too long a prefix: 100"),
      does("an answer is known by its seq, whatever its type"),
      does("every type before the handshake"),
      does("several frames in a read, one frame in several"),
    ],
    texts: [does("frames are read one after the other"), does("no login, no limit per session")],
  },
  {
    section: "4",
    title: "Message types",
    rows: [
      does("0x12 is answered by 0x12"),
      does("0x13 is answered by 0x13"),
      does("0x14 is answered by 0x14"),
      does("0x15 is answered by 0x15, then 0x1002"),
      does("0x16 is answered by 0x16"),
      does("0x30 is answered by 0x31, both ways"),
      does("0x31 with topic and content, or a result"),
      does("0x32 is not answered"),
      does("0x35 is answered to the sender only"),
      does("0x37 goes to the publisher"),
      does("0x38 is not answered"),
      does("0x1000 is a receipt without prefix"),
      does("0x1001 has the topic of its group"),
      does("0x1002 has no prefix"),
    ],
    texts: [
      does("nothing is sent that no caller asked for"),
      does("seqs of pushes"),
      does("one line of JSON with a newline; receipts over several"),
    ],
  },
  {
    section: "5.1",
    title: "First messages of the SDKs",
    rows: [
      does("nodejs-sdk is served"),
      does("python-sdk is served"),
      does("Caliper is served"),
      does("java-sdk and the console are served"),
    ],
    texts: [fact("when java-sdk closes", OF_CLIENTS)],
  },
  {
    section: "5.2",
    title: "Handshake",
    rows: [
      does("not JSON: ignored"),
      does("no common version: closed without an answer"),
      does("otherwise the highest common version"),
      does("the version decides on heartbeats"),
      does("the version decides on block pushes"),
      does("the version decides on refusals"),
    ],
    texts: [
      does("members and their defaults"),
      does("nodeVersion; later handshakes; the version at the arrival counts"),
    ],
  },
  {
    section: "5.3",
    title: "Heartbeat",
    rows: [
      does("version 1: 0 is answered by 1"),
      does("version 1: anything else is not answered"),
      does("versions 2 and 3: anything is answered"),
    ],
    texts: [
      core(
        "any byte keeps a session alive",
        TIMES,
        "an unanswered heartbeat keeps a session alive",
      ),
    ],
  },
];
