/** HTTP over a bare socket, where a client would write or read otherwise. */
import { connect } from "node:net";

/** A head that is whole, and what came with it. */
const HEAD = /^HTTP\/1\.1 (?!100)\d+ [\s\S]*\r\n\r\n/;

/** What raw bytes are answered with, until it is enough or the connection ends. */
export function rawAnswer(port: number, bytes: string, enough: RegExp = HEAD): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (enough.test(text)) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}
