// The package of the typed client alone: what `npm pack` needs, in a folder below dist/.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { packageName, writeWhole } from "./bundles.mjs";

const NAME = "chain-node-client";
const FOLDER = `dist/${NAME}`;
const TYPES = "dist/types";
/** Each entry, and the export of the node's package that has the same names. */
const EXPORTS = [
  { subpath: ".", file: "./client.js", same: "./client" },
  { subpath: "./node", file: "./node.js", same: "./client/node" },
];
/** Documents of the repository, and what they are called in the package. */
const DOCUMENTS = {
  LICENSE: "LICENSE",
  "docs/client.md": "README.md",
  "docs/client.zh.md": "README.zh.md",
  "docs/examples/greeter.ts": "examples/greeter.ts",
  "docs/examples/greeter.sol": "examples/greeter.sol",
};
const LOCKFILE = "npm-shrinkwrap.json";
const LICENCES = "THIRD-PARTY-LICENSES.txt";
/** Of an entry of package-lock.json: why it is there, which differs in another tree. */
const OF_OUR_TREE = ["dev", "devOptional", "extraneous", "funding", "peer"];

function readJson(...parts) {
  return JSON.parse(readFileSync(join(...parts), "utf8"));
}

/** The declarations that these name, themselves included, and packages that any of them names. */
function declarationsOf(root, files) {
  const [found, packages] = [new Set(), new Set()];
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(join(root, file), "utf8");
    for (const [, name] of text.matchAll(/\b(?:from|import) ?\(?"([^"]+)"/g)) {
      if (name.startsWith(".")) visit(join(dirname(file), name.replace(/\.ts$/, ".d.ts")));
      else if (!name.startsWith("node:")) packages.add(packageName(name));
    }
  };
  for (const file of files) visit(file);
  return { files: [...found].sort(), packages: [...packages] };
}

/** Where the lockfile has what a package of that path asks for. */
function placeOf(locked, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1))) {
    const path = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (path in locked) return path;
    if (at === "") throw new Error(`package-lock.json has no ${name}, which ${from} wants`);
  }
}

/** The entries of package-lock.json for packages and what these depend on. */
function lockedEntries(locked, names) {
  const found = {};
  const visit = (from, name) => {
    const path = placeOf(locked, from, name);
    if (path in found) return;
    const entry = Object.entries(locked[path]).filter(([key]) => !OF_OUR_TREE.includes(key));
    found[path] = Object.fromEntries(entry);
    const { dependencies, optionalDependencies } = found[path];
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(path, next);
  };
  for (const name of names) visit("", name);
  return Object.fromEntries(Object.entries(found).sort());
}

/** The licences of what the bundles took in; a package without one is not to be given on. */
function licencesOf(root, folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = readJson(root, folder, "package.json");
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${folder} has no file with its licence`);
    const text = readFileSync(join(root, folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const line = `\n${"-".repeat(72)}\n\n`;
  return `The code of these packages is part of this one.\n\n${parts.join(line)}`;
}

/** A page whose links to what the package lacks are plain words. */
function pageAlone(text, files) {
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)/g, (link, words, target) =>
    files.includes(target) ? link : words,
  );
}

/** The manifest and the lockfile. */
function manifestsOf(root, { files, names, typesOf }) {
  const own = readJson(root, "package.json");
  const { packages: locked } = readJson(root, "package-lock.json");
  const versions = [...names]
    .sort()
    .map((name) => [name, locked[placeOf(locked, "", name)].version]);
  const head = { name: NAME, version: own.version, license: own.license };
  const needs = { dependencies: Object.fromEntries(versions), engines: own.engines };
  const exported = EXPORTS.map(({ subpath, file, same }) => [
    subpath,
    { types: typesOf(own.exports[same].types), default: file },
  ]);
  const manifest = {
    ...head,
    description: "A typed client of chain-node, for Node, browsers and edge workers",
    type: own.type,
    sideEffects: false,
    exports: Object.fromEntries(exported),
    files,
    ...needs,
  };
  const packages = {
    "": { ...head, ...needs },
    ...lockedEntries(locked, Object.keys(needs.dependencies)),
  };
  return { manifest, lock: { ...head, lockfileVersion: 3, requires: true, packages } };
}

/**
 * Makes the folder: the bundles are there, declarations and documents are copied, and packages that
 * neither took in are dependencies, with the versions of our lockfile.
 *
 * @param record what the build noted of the bundles
 */
export function makeClientPackage(root, { outputs, taken, outside }) {
  const { exports } = readJson(root, "package.json");
  const entries = EXPORTS.map(({ same }) => join(exports[same].types));
  const declared = declarationsOf(root, entries);
  const typesOf = (path) => `./types/${relative(TYPES, join(path))}`;
  const contents = new Map();
  for (const file of declared.files)
    contents.set(join(typesOf(file)), readFileSync(join(root, file)));
  const copied = Object.values(DOCUMENTS);
  for (const [from, to] of Object.entries(DOCUMENTS)) {
    const text = readFileSync(join(root, from), "utf8");
    contents.set(to, to.endsWith(".md") ? pageAlone(text, copied) : text);
  }
  contents.set(LICENCES, licencesOf(root, taken));
  const bundles = outputs.map((path) => relative(FOLDER, path));
  // npm packs no lockfile that is not named.
  const files = [...bundles, ...contents.keys(), LOCKFILE].sort();
  const names = new Set([...outside, ...declared.packages]);
  const { manifest, lock } = manifestsOf(root, { files, names, typesOf });
  contents.set("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  contents.set(LOCKFILE, `${JSON.stringify(lock, null, 2)}\n`);
  for (const [path, content] of contents) writeWhole(join(root, FOLDER, path), content);
}
