/**
 * A registry of npm on loopback that has what our own node_modules have, and packages of tests. Its
 * archives are made when they are asked for.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "../runner/root.ts";

const BLOCK = 512;

function field(header: Buffer, at: number, text: string): void {
  header.write(text, at, "latin1");
}

/** An entry of an archive; long names are told in a record before it. */
function entry(path: string, content: Uint8Array, kind = "0"): Buffer {
  const header = Buffer.alloc(BLOCK);
  field(header, 0, path.slice(0, 99));
  field(header, 100, "0000644\0");
  field(header, 124, `${content.length.toString(8).padStart(11, "0")}\0`);
  field(header, 136, `${"0".repeat(11)}\0`);
  field(header, 148, " ".repeat(8));
  field(header, 156, kind);
  field(header, 257, "ustar\0");
  field(header, 263, "00");
  const sum = header.reduce((total, byte) => total + byte, 0);
  field(header, 148, `${sum.toString(8).padStart(6, "0")}\0 `);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  const own = Buffer.concat([header, content, padding]);
  if (path.length < 100 || kind === "x") return own;
  const record = ` path=${path}\n`;
  const length = record.length + String(record.length + 3).length;
  return Buffer.concat([entry("long", Buffer.from(`${length}${record}`), "x"), own]);
}

/** A package's archive, of files by their paths in it. */
export function archiveOf(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const entries = [...files].map(([path, content]) => entry(`package/${path}`, content));
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 1 });
}

/** The files of a folder, without what npm would leave out. */
export function filesOf(folder: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const add = (below: string): void => {
    for (const each of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? each.name : `${below}/${each.name}`;
      if (each.isDirectory() && each.name !== "node_modules") add(path);
      else if (each.isFile()) files.set(path, readFileSync(join(folder, path)));
    }
  };
  add("");
  return files;
}

/** A registry that answers. */
export interface RegistryStub {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  close(): void;
}

/** What a registry has besides. */
export interface RegistryTerms {
  /** Archives by name of package and version. */
  readonly archives: ReadonlyMap<string, Readonly<Record<string, Buffer>>>;
  /** Says that this package has another content than it sends. */
  readonly lies?: string;
}

function manifestOf(archive: ReadonlyMap<string, Uint8Array>): Record<string, unknown> {
  const text = new TextDecoder().decode(archive.get("package.json"));
  return JSON.parse(text) as Record<string, unknown>;
}

/** Starts a registry on a free port of loopback. */
export async function startRegistry(
  terms: RegistryTerms,
  manifests: ReadonlyMap<string, Record<string, unknown>>,
): Promise<RegistryStub> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    asked.push(path);
    const archive = /^\/(.+)\/-\/archive-(.+)\.tgz$/.exec(path);
    const name = archive?.[1] ?? path.slice(1);
    const known = terms.archives.get(name) ?? ownArchives(name);
    const bytes = archive && known?.[archive[2] ?? ""];
    if (bytes) return response.end(bytes);
    if (!known || archive) return response.writeHead(404).end('{"error":"not found"}');
    const versions = Object.entries(known).map(([version, content]) => {
      const told = terms.lies === name ? Buffer.from("something else") : content;
      const integrity = `sha512-${createHash("sha512").update(told).digest("base64")}`;
      const tarball = `${url()}${name}/-/archive-${version}.tgz`;
      const own = manifests.get(name) ?? manifestOf(filesOf(join(ROOT, "node_modules", name)));
      return [version, { ...own, name, version, dist: { tarball, integrity } }];
    });
    const latest = versions.at(-1)?.[0];
    const body = { name, "dist-tags": { latest }, versions: Object.fromEntries(versions) };
    return response.end(JSON.stringify(body));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: url(), asked, close };
}

/** A package of our own node_modules. */
function ownArchives(name: string): Readonly<Record<string, Buffer>> | undefined {
  const folder = join(ROOT, "node_modules", name);
  if (!existsSync(join(folder, "package.json"))) return undefined;
  const files = filesOf(folder);
  return { [String(manifestOf(files)["version"])]: archiveOf(files) };
}
