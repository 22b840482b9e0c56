/**
 * One connection of a client to the channel port: TLS, frames, handshake, heartbeat, and who waits
 * for which answer. Source: channel-protocol 2, 3, 5
 */
import { createPrivateKey, randomBytes, X509Certificate } from "node:crypto";
import { connect, type TLSSocket } from "node:tls";
import { utf8Bytes, utf8Text } from "../../../core/bytes/byte-string.ts";
import { encodeFrame, type Frame, FrameReader, MESSAGE_TYPE } from "../../../core/channel/frame.ts";
import { TransportFault, UsageFault } from "../../../core/client/client-fault.ts";
import { reasonOf } from "../../folder/folder-fault.ts";

/** Where the port is, and who asks. Texts are PEM. */
export interface ChannelPlace {
  readonly host: string;
  readonly port: number;
  /** Certificate of the chain: `ca.crt`. */
  readonly ca: string | Uint8Array;
  /** Certificate of the client and of its agency: `sdk.crt`. */
  readonly cert: string | Uint8Array;
  /** Private key of the client: `sdk.key`. */
  readonly key: string | Uint8Array;
  /** How long one request, or connecting, may take; 30 s when absent. */
  readonly timeoutMs?: number;
}

/** What a connection tells without being asked. */
interface LinkListener {
  /** A push, or a request of the node. */
  onPush(frame: Frame): void;
  /** It is over; nothing follows. */
  onClosed(cause: Error): void;
}

const CLIENT_TYPE = "chain-node";
const HIGHEST_VERSION = 3;
const DEFAULT_TIMEOUT_MS = 30_000;
/** A node closes a session that is silent for 60 s. Source: channel-protocol 2.1 */
const HEARTBEAT_MS = 10_000;
/** The first is that of certificates; the others are what a node with RSA ones may offer. */
const CURVES = "secp256k1:X25519:P-256";
/** Receipts that may be outstanding; the oldest is given up then. */
const MAX_RECEIPTS = 10_000;

interface Waiting {
  readonly settle: (frame: Frame) => void;
  readonly fail: (cause: Error) => void;
}

/** A connection that has shaken hands. */
export class ChannelLink {
  readonly #socket: TLSSocket;
  readonly #timeoutMs: number;
  readonly #listener: LinkListener;
  readonly #reader = new FrameReader();
  readonly #answers = new Map<string, Waiting>();
  readonly #receipts = new Map<string, Waiting>();
  #heartbeat: NodeJS.Timeout | undefined;
  /** The version that both sides speak. Source: channel-protocol 5.2 */
  version = 1;
  #closed: Error | undefined;

  private constructor(socket: TLSSocket, place: ChannelPlace, listener: LinkListener) {
    this.#socket = socket;
    this.#timeoutMs = place.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#listener = listener;
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("error", (cause) => this.#end(cause.message, cause));
    socket.on("close", () => this.#end("the node closed the connection"));
  }

  /** Connects and agrees on the version. @throws TransportFault, UsageFault that name the reason */
  static async open(place: ChannelPlace, listener: LinkListener): Promise<ChannelLink> {
    const link = new ChannelLink(await openSocket(place), place, listener);
    try {
      await link.#shakeHands();
    } catch (cause) {
      link.close();
      throw cause;
    }
    link.#heartbeat = setInterval(() => link.#beat(), HEARTBEAT_MS);
    return link;
  }

  /** Sends a frame that has no answer. */
  post(type: number, data: Uint8Array): void {
    this.#send({ type, seq: newSeq(), result: 0, data });
  }

  /** Answers a request of the node. */
  answer(request: Frame, type: number, data: Uint8Array): void {
    this.#send({ type, seq: request.seq, result: 0, data });
  }

  /** Sends a frame and waits for the one of the same seq. @throws TransportFault */
  ask(type: number, data: Uint8Array): Promise<Frame> {
    return this.#ask({ type, seq: newSeq(), result: 0, data });
  }

  /**
   * Sends a transaction and waits for the answer; the receipt follows, the frame 0x1000 of the same
   * seq. Source: channel-protocol 6.1
   * @throws TransportFault
   */
  async askTransaction(data: Uint8Array) {
    const seq = newSeq();
    const name = utf8Text(seq);
    const receipt = new Promise<Frame>((settle, fail) => {
      this.#receipts.set(name, { settle, fail });
    });
    receipt.catch(() => undefined);
    this.#boundReceipts();
    try {
      const answer = await this.#ask({ type: MESSAGE_TYPE.rpc, seq, result: 0, data });
      return { answer, receipt };
    } catch (cause) {
      this.#receipts.delete(name);
      throw cause;
    }
  }

  /** Nothing is pushed behind an error answer. */
  forgetReceipt({ seq }: Frame): void {
    this.#receipts.delete(utf8Text(seq));
  }

  /** Ends the connection. */
  close(): void {
    this.#socket.end();
    this.#end("the transport was closed");
  }

  #boundReceipts(): void {
    if (this.#receipts.size <= MAX_RECEIPTS) return;
    const [oldest] = this.#receipts;
    if (oldest === undefined) return;
    this.#receipts.delete(oldest[0]);
    oldest[1].fail(new TransportFault("too many receipts are outstanding"));
  }

  /** What is sent in one turn leaves together: a write of its own costs more than its bytes. */
  #send(frame: Frame): void {
    if (this.#closed !== undefined) return;
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      process.nextTick(() => this.#socket.uncork());
    }
    this.#socket.write(encodeFrame(frame));
  }

  #ask(frame: Frame): Promise<Frame> {
    if (this.#closed) return Promise.reject(this.#closed);
    const name = utf8Text(frame.seq);
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#answers.delete(name);
      };
      const fail = (cause: Error): void => {
        done();
        reject(cause);
      };
      const timer = setTimeout(
        () => fail(new TransportFault(`no answer in ${this.#timeoutMs} ms`)),
        this.#timeoutMs,
      );
      const settle = (answer: Frame): void => {
        done();
        resolve(answer);
      };
      this.#answers.set(name, { settle, fail });
      this.#send(frame);
    });
  }

  #read(bytes: Buffer): void {
    for (const frame of this.#reader.push(bytes)) this.#take(frame);
    if (this.#reader.failure === undefined) return;
    this.#end(`what the port sends is no frame: ${this.#reader.failure}`);
    this.#socket.destroy();
  }

  #take(frame: Frame): void {
    const name = utf8Text(frame.seq);
    if (frame.type === MESSAGE_TYPE.receiptPush) {
      const waiting = this.#receipts.get(name);
      this.#receipts.delete(name);
      waiting?.settle(frame);
      return;
    }
    const waiting = this.#answers.get(name);
    if (waiting) waiting.settle(frame);
    else this.#listener.onPush(frame);
  }

  async #shakeHands(): Promise<void> {
    const hello = { clientType: CLIENT_TYPE, maximumSupport: HIGHEST_VERSION, minimumSupport: 1 };
    const { data } = await this.ask(MESSAGE_TYPE.handshake, utf8Bytes(JSON.stringify(hello)));
    const { protocol } = JSON.parse(utf8Text(data)) as { readonly protocol?: unknown };
    if (typeof protocol === "number") this.version = protocol;
  }

  #beat(): void {
    const data = this.version === 1 ? utf8Bytes("0") : utf8Bytes('{"heartBeat":0}');
    // A node that does not answer is gone, whatever TCP believes.
    this.ask(MESSAGE_TYPE.heartbeat, data).catch(() => this.#socket.destroy());
  }

  #end(reason: string, cause?: Error): void {
    if (this.#closed) return;
    this.#closed = new TransportFault(`channel port: ${reason}`, cause ? { cause } : {});
    clearInterval(this.#heartbeat);
    for (const { fail } of [...this.#answers.values(), ...this.#receipts.values()])
      fail(this.#closed);
    this.#receipts.clear();
    this.#listener.onClosed(this.#closed);
  }
}

/** What no other client of a node begins its numbers with. */
const SEQ_PREFIX = randomBytes(8).toString("hex");
let lastSeq = 0;

/** 32 hexadecimal digits, as all clients send them: random ones, and a count behind them. */
function newSeq(): Uint8Array {
  return utf8Bytes(SEQ_PREFIX + (++lastSeq).toString(16).padStart(16, "0"));
}

/** What TLS says, as something to do. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, "nothing listens there"],
  [/wrong version number/i, "this is not the port for SDKs: does JSON-RPC listen there?"],
  [
    /alert unknown ca/i,
    "the node does not know sdk.crt: it is of another chain, or lacks its agency",
  ],
  [/alert access denied/i, "sdk.crt is of another agency than the node"],
  [/alert certificate expired/i, "sdk.crt has expired"],
  [/alert (bad|unsupported) certificate/i, "the node cannot use sdk.crt"],
  [/issuer certificate|self.signed|unable to verify/i, "ca.crt is of another chain than the node"],
  [/certificate signature failure/i, "ca.crt is of another chain than the node"],
  [/certificate has expired/i, "the certificate of the node has expired"],
  [/alert handshake failure/i, "the port speaks another kind of TLS, RSA or secp256k1"],
  [/handshake failure|no suitable|no shared/i, "the port speaks another kind of TLS"],
];

type PlaceFiles = Pick<ChannelPlace, "ca" | "cert" | "key">;
const FILES = { ca: "ca.crt", cert: "sdk.crt", key: "sdk.key" } as const;
type Member = keyof typeof FILES;

/** The beginning of every PEM text. */
const PEM = "-----BEGIN ";

function textOf(files: PlaceFiles, member: Member): string {
  const value: unknown = files[member];
  const wanted = `${member}: the text of ${FILES[member]} is expected`;
  if (typeof value !== "string" && !(value instanceof Uint8Array))
    throw new UsageFault(`${wanted}, but it is ${value === null ? "null" : typeof value}`);
  const text = typeof value === "string" ? value : Buffer.from(value).toString("latin1");
  if (text.includes(PEM)) return text;
  const isPath = text.length > 0 && text.length < 1_024 && !text.trim().includes("\n");
  const hint = isPath ? "; this looks like a path: give what readFile gives of it" : "";
  throw new UsageFault(`${wanted}, which begins with ${PEM.trim()}${hint}`);
}

function readAs<T>(member: Member, kind: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const what = `the text of ${FILES[member]} holds no ${kind} that can be read`;
    throw new UsageFault(`${member}: ${what} (${reasonOf(cause)})`, { cause });
  }
}

/**
 * Examines the files before a connection is tried: TLS would say in its own text, and too late,
 * what the program has to correct.
 * @throws UsageFault that names the member and what is wrong with it
 */
function requireFiles(files: PlaceFiles): void {
  const [ca, cert, key] = [textOf(files, "ca"), textOf(files, "cert"), textOf(files, "key")];
  readAs("ca", "certificate", () => new X509Certificate(ca));
  const own = readAs("cert", "certificate", () => new X509Certificate(cert));
  const privateKey = readAs("key", "private key", () => createPrivateKey(key));
  if (!own.checkPrivateKey(privateKey))
    throw new UsageFault("key: sdk.key does not belong to sdk.crt: take both from one folder");
}

function openSocket(place: ChannelPlace): Promise<TLSSocket> {
  const { host, port, timeoutMs = DEFAULT_TIMEOUT_MS } = place;
  return new Promise((resolve, reject) => {
    const refuse = (text: string, cause?: Error): void => {
      const advice = ADVICE.find(([form]) => form.test(text))?.[1];
      const why = advice === undefined ? text : `${advice} (${text})`;
      reject(new TransportFault(`${host}:${port}: ${why}`, cause ? { cause } : {}));
    };
    let socket: TLSSocket;
    try {
      requireFiles(place);
      socket = connect({
        host,
        port,
        ca: bufferOf(place.ca),
        cert: bufferOf(place.cert),
        key: bufferOf(place.key),
        minVersion: "TLSv1.2",
        maxVersion: "TLSv1.2",
        ecdhCurve: CURVES,
        // Certificates of a chain name nodes, not hosts. Source: channel-protocol 2.2
        checkServerIdentity: () => undefined,
      });
    } catch (cause) {
      if (cause instanceof UsageFault) return reject(cause);
      return refuse(reasonOf(cause), cause as Error);
    }
    const timer = setTimeout(() => {
      refuse(`no connection in ${timeoutMs} ms`);
      socket.destroy();
    }, timeoutMs);
    const onError = (cause: Error): void => refuse(cause.message, cause);
    const onClose = (): void => refuse("the port closed the connection in the TLS handshake");
    socket.once("error", onError);
    socket.once("close", onClose);
    socket.once("secureConnect", () => {
      clearTimeout(timer);
      socket.off("error", onError);
      socket.off("close", onClose);
      resolve(socket);
    });
    socket.once("close", () => clearTimeout(timer));
  });
}

function bufferOf(pem: string | Uint8Array): string | Buffer {
  return typeof pem === "string" ? pem : Buffer.from(pem);
}
