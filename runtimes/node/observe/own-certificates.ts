/** Key and certificates of the node that runs here, and how long they last. Source: groups 8 */
import { resolve } from "node:path";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { daysUntil, WARN_BEFORE_DAYS } from "../../formats/certificates/certificate-chain.ts";
import type { IdentityFiles } from "../../formats/config/node-config.ts";
import { type IdentityPaths, type NodeIdentity, readIdentity } from "../../folder/node-identity.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The files of a node's identity as absolute paths. */
export function identityPaths(home: string, files: IdentityFiles): IdentityPaths {
  const at = (path: string) => resolve(home, path);
  const { suite, key, cert, caCert, caPath } = files;
  const further = caPath === undefined ? undefined : at(caPath);
  return { suite, key: at(key), cert: at(cert), caCert: at(caCert), caPath: further };
}

/** Reads who the node is. @throws FolderFault */
export function readOwnIdentity(
  home: string,
  files: IdentityFiles,
  now: number,
): Promise<NodeIdentity> {
  return readIdentity(identityPaths(home, files), now);
}

/**
 * Whole days until the first certificate between this node and the chain ends, rounded down; 0 on
 * the last day, negative afterwards. What metrics show.
 */
export function certificateDaysLeft({ membership }: NodeIdentity, now: number): number {
  return daysUntil(membership.validUntil, now);
}

interface CertificateWatch {
  readonly identity: NodeIdentity;
  /** The node's certificate, for messages. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
}

function warn({ identity, file, clock, log }: CertificateWatch): void {
  const days = certificateDaysLeft(identity, clock.now());
  if (days > WARN_BEFORE_DAYS) return;
  const next = "renew it with chain-node cert renew and restart the node";
  if (days >= 0) log.write("warning", `a certificate ends soon: ${next}`, { file, days });
  else log.write("error", `a certificate has ended, peers refuse this node: ${next}`, { file });
}

/** Warns now and once a day from 30 days before the end on. @returns what ends the watch */
export function watchCertificates(watch: CertificateWatch): () => void {
  let cancel = () => {};
  const look = () => {
    warn(watch);
    cancel = watch.clock.after(DAY_MS, look);
  };
  look();
  return () => cancel();
}
