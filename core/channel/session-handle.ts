/**
 * What the event filters and the topics of the channel port see of its sessions, and what the port
 * tells them: the interface between `core/node/channel/channel-service.ts` and its extensions.
 * Source: channel-protocol 7.3, 8
 */
import type { Frame } from "./frame.ts";

/** Versions of the channel protocol. Source: channel-protocol 5.2 */
export type ChannelVersion = 1 | 2 | 3;

/** One connection of a client. Its members always show how it stands now. */
export interface SessionHandle {
  /** Unique in this process; never used again. */
  readonly id: number;
  /** 128 hex digits of the client's public key; empty with RSA. Source: channel-protocol 2.2 */
  readonly sdkId: string;
  readonly version: ChannelVersion;
  readonly topics: ReadonlySet<string>;
  /** Bytes that wait until the client reads. */
  readonly unsentBytes: number;
  /**
   * Queues a frame; nothing happens when the session is gone.
   *
   * @param written called once when the frame has left; never when it does not
   */
  send(frame: Frame, written?: () => void): void;
}

/** What the service gives its extensions. */
export interface ChannelSessions {
  /** All that are connected, in the order in which they came. */
  sessions(): Iterable<SessionHandle>;
  /** Whether the allow-list of the group lets the session in. Source: channel-protocol 10 */
  mayAccess(session: SessionHandle, groupId: number): boolean;
  /** Bytes that sessions may be sent in all without having asked for them; may be negative. */
  spareBytes(): number;
}

/** What the service reports to its extensions. */
export interface ChannelExtension {
  /**
   * A frame of a type that is the extension's, or one that may answer what the extension has asked
   * the client.
   *
   * @returns whether the extension took it; the service goes on with a frame that no extension took
   */
  onFrame(session: SessionHandle, frame: Frame): boolean;
  /** The session is gone, and its topics with it: it is no longer among the sessions. */
  onSessionClosed(session: SessionHandle): void;
  /** The topics of a session are not what they were. */
  onTopicsChanged(session: SessionHandle): void;
  /** The port closes: nothing is to be sent any more. */
  close(): void;
}
