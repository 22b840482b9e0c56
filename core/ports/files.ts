/**
 * Small named files as a port: configuration and status words of groups. On disk they are files, in
 * a browser or at the edge records of a virtual store. Source: groups 1
 */

/** A few small files. Paths are relative to the node's folder, with `/` between their parts. */
export interface Files {
  /** The content; undefined when there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Puts the content in place, whole or not at all; it would survive a crash once this resolves.
   * Folders above it are made.
   *
   * @throws StoreFault when the platform refuses; the file is as before or as wanted
   */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Removes a file, durably; nothing happens when there is none. */
  remove(path: string): Promise<void>;
  /** Names directly inside a folder, ascending; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
}
