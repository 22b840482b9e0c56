/** Why a node cannot join with what it was given; no import, so that pages know it too. */

/** What is wrong; pages have words for each. */
export type JoinProblem =
  /** Text that holds no certificate. */
  | "noCertificate"
  | "noAuthority"
  /** No certificate of the key: what the chain says stands in `detail`. */
  | "badCertificate"
  | "otherKey"
  | "expired"
  | "notYetValid"
  /** The certificate leads to another CA than the one given. */
  | "otherChain"
  | "noGenesis"
  | "badGenesis"
  /** The genesis block that the file gives is not the one whose hash was given. */
  | "otherGenesis"
  | "badVersion"
  | "noPeer"
  | "badPeer"
  /** A page that came over https may open wss only. */
  | "needsWss";

const TEXTS: Readonly<Record<JoinProblem, string>> = {
  noCertificate: "there is no certificate of this node: ask an agency of the chain for one",
  noAuthority: "there is no certificate of the chain (ca.crt)",
  badCertificate: "the certificate of this node cannot be used",
  otherKey: "the certificate is of another key than the one of this node",
  expired: "a certificate has expired: ask for a new one",
  notYetValid: "a certificate is not yet valid: look at the clock of this device",
  otherChain: "the certificate belongs to another chain than ca.crt",
  noGenesis: "there is no genesis file of a group",
  badGenesis: "a genesis file cannot be read",
  otherGenesis: "the genesis file is not the one of this group: its block 0 has another hash",
  badVersion: "this is no compatibility version",
  noPeer: "there is no address of a peer",
  badPeer: "this is no WebSocket address, such as wss://host:port",
  needsWss: "a page over https can open wss addresses only",
};

/** A request that does not fit together. */
export class JoinFault extends Error {
  override readonly name = "JoinFault";
  readonly problem: JoinProblem;
  readonly detail: string;

  constructor(problem: JoinProblem, detail = "") {
    super(`the network cannot be joined: ${TEXTS[problem]}${detail === "" ? "" : ` (${detail})`}`);
    this.problem = problem;
    this.detail = detail;
  }
}
