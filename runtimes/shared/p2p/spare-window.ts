/**
 * Fewer window updates: libp2p's muxer answers every frame of data with one, which costs both ends
 * as much as the message itself when messages are votes. Half a window is early enough for a
 * sender never to wait.
 */
import type { Stream } from "@libp2p/interface";

/** What a stream of the muxer has besides the interface. */
interface WindowedStream {
  /** Bytes that the peer may send between two updates. */
  readonly recvWindow: number;
  /** Bytes that it may still send. */
  readonly recvWindowCapacity: number;
  sendWindowUpdate(): void;
}

function isWindowed(stream: object): stream is WindowedStream {
  return (
    "recvWindow" in stream &&
    typeof stream.recvWindow === "number" &&
    "recvWindowCapacity" in stream &&
    typeof stream.recvWindowCapacity === "number" &&
    "sendWindowUpdate" in stream &&
    typeof stream.sendWindowUpdate === "function"
  );
}

/** Holds window updates back until half the window is used; other streams stay as they are. */
export function spareWindowUpdates(stream: Stream): void {
  if (!isWindowed(stream)) return;
  const windowed: WindowedStream = stream;
  const update = windowed.sendWindowUpdate.bind(windowed);
  // The first one may acknowledge the stream itself.
  let isFirst = true;
  windowed.sendWindowUpdate = () => {
    if (!isFirst && windowed.recvWindowCapacity * 2 > windowed.recvWindow) return;
    isFirst = false;
    update();
  };
}
