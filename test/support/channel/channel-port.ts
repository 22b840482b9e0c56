/** A channel port that does what a test says, with certificates of a chain of its own. */
import { createServer, type TLSSocket } from "node:tls";
import type { AddressInfo } from "node:net";
import { randomBytes } from "node:crypto";
import { encodeFrame, type Frame, FrameReader } from "../../../core/channel/frame.ts";
import {
  createAgency,
  createAuthority,
  type Issued,
  issue,
} from "../../../runtimes/folder/authority.ts";
import { certificatesPem } from "../../../runtimes/folder/certificate.ts";
import { privateKeyPem } from "../../../runtimes/folder/private-key.ts";

/** A frame that came, and the way back. */
export interface Asked {
  readonly frame: Frame;
  /** Sends a frame with the same seq. */
  reply(data: Uint8Array, options?: { readonly type?: number; readonly result?: number }): void;
}

/** A port that listens. */
export interface ChannelPort {
  readonly port: number;
  /** What a client needs, as PEM. */
  readonly files: { readonly ca: string; readonly cert: string; readonly key: string };
  /** All frames that came, in order. */
  readonly frames: Frame[];
  /** How many connections there have been. */
  readonly connections: () => number;
  /** Sends a frame to everybody who is connected. */
  push(frame: Frame): void;
  /** Sends bytes as they are. */
  raw(bytes: Uint8Array): void;
  /** Ends all connections. */
  cut(): void;
  close(): Promise<void>;
}

const DAYS = 30;

function certificates(suite: "standard") {
  const entropy = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
  const context = { entropy, now: Date.now(), days: DAYS };
  const authority = createAuthority(context, suite);
  const agency = createAgency("agency", authority, context);
  const holder = (kind: "node" | "sdk"): Issued => issue({ kind, name: kind }, agency, context);
  return { ca: certificatesPem(authority.certificate), node: holder("node"), sdk: holder("sdk") };
}

/** Opens a port; `answer` is called for each frame. */
export async function openChannelPort(answer: (asked: Asked) => void): Promise<ChannelPort> {
  const { ca, node, sdk } = certificates("standard");
  const sockets = new Set<TLSSocket>();
  const frames: Frame[] = [];
  let connections = 0;
  const server = createServer(
    {
      ca,
      cert: node.text,
      key: privateKeyPem(node.key),
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.2",
      ecdhCurve: "secp256k1",
      requestCert: true,
      rejectUnauthorized: true,
    },
    (socket) => {
      connections++;
      sockets.add(socket);
      const reader = new FrameReader();
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
      socket.on("data", (bytes: Buffer) => {
        for (const frame of reader.push(new Uint8Array(bytes))) {
          frames.push(frame);
          answer({
            frame,
            reply: (data, { type = frame.type, result = 0 } = {}) =>
              void socket.write(encodeFrame({ type, seq: frame.seq, result, data })),
          });
        }
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    files: { ca, cert: sdk.text, key: privateKeyPem(sdk.key) },
    frames,
    connections: () => connections,
    push: (frame) => {
      for (const socket of sockets) socket.write(encodeFrame(frame));
    },
    raw: (bytes) => {
      for (const socket of sockets) socket.write(bytes);
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
