/** The little of `ws` that is used here; the package has no types of its own. */
declare module "ws" {
  import type { EventEmitter } from "node:events";
  import type { IncomingMessage } from "node:http";
  import type { Duplex } from "node:stream";

  export class WebSocket extends EventEmitter {
    static readonly OPEN: number;
    constructor(address: string, options?: { readonly headers?: Record<string, string> });
    readonly readyState: number;
    /** Bytes that were given to `send` and have not left. */
    readonly bufferedAmount: number;
    send(data: string | Uint8Array, sent?: () => void): void;
    send(data: string, options: { readonly fin: boolean }, sent: () => void): void;
    send(data: Uint8Array, options: { readonly binary: boolean }): void;
    ping(data?: string): void;
    pong(data: Uint8Array): void;
    pause(): void;
    readonly isPaused: boolean;
    resume(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: {
      readonly noServer: true;
      readonly maxPayload: number;
      readonly perMessageDeflate: false;
      readonly clientTracking: boolean;
      readonly autoPong?: boolean;
    });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Uint8Array,
      done: (webSocket: WebSocket) => void,
    ): void;
  }
}
