/**
 * What `npm install` of our tarball puts into a folder, without npm: the contents of the tarball,
 * and the packages that package-lock.json has for those who run the program, as links to the files
 * of our own node_modules. A dependency that is only among those of development is not there.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { linkFolder } from "./linked-folder.ts";
import { ROOT } from "../runner/root.ts";

const MODULES = "node_modules";
const NAME = "chain-node";

/** An entry of package-lock.json, as far as it is examined. */
interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  /** Except in development it is only an optional peer of something, which npm does not install. */
  readonly devOptional?: boolean;
}

/** The folders of packages that are installed here and not for development alone. */
function neededFolders(): readonly string[] {
  const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  const installed = readFileSync(join(ROOT, MODULES, ".package-lock.json"), "utf8");
  const { packages: present } = JSON.parse(installed) as { packages: Record<string, Locked> };
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path in present && !dev && !devOptional)
    .map(([path]) => path);
}

/** Puts a package of a tarball into node_modules; its folder. */
function unpack(folder: string, tarball: string, name: string): string {
  const own = join(folder, MODULES, name);
  mkdirSync(own, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"]);
  return own;
}

/** The same of a tarball that has a lockfile of its own, with what that names next to it. */
export function installLocked(folder: string, tarball: string, name: string): void {
  const own = unpack(folder, tarball, name);
  const text = readFileSync(join(own, "npm-shrinkwrap.json"), "utf8");
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> };
  for (const [path, { version }] of Object.entries(packages)) {
    if (path === "") continue;
    const manifest = readFileSync(join(ROOT, path, "package.json"), "utf8");
    assert.equal((JSON.parse(manifest) as Locked).version, version, path);
    linkFolder(join(ROOT, path), join(folder, path), MODULES);
  }
}

/** Fills the node_modules of a folder with our tarball and what it depends on. */
export function installLinked(folder: string, tarball: string): void {
  const own = unpack(folder, tarball, NAME);
  // Without those that a package has below itself: they are listed too.
  for (const path of neededFolders()) linkFolder(join(ROOT, path), join(folder, path), MODULES);
  const { bin } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as {
    readonly bin: Readonly<Record<string, string>>;
  };
  const program = bin[NAME];
  assert.ok(program, `package.json names the program ${NAME}`);
  chmodSync(join(own, program), 0o755);
  const link = join(folder, MODULES, ".bin", NAME);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join("..", NAME, program), link);
}
