/** Modules with one fault in what they import: what a test must find. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "./root.ts";

/** One fault: a text of one file and what stands there instead. */
export interface Fault {
  /** Path from the root of the project. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** The module of a file, bundled with the fault. @throws Error unless the text is there once */
export async function loadMutant<Module>(entry: string, fault: Fault): Promise<Module> {
  const faulty = join(ROOT, fault.file);
  let found = false;
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "silent",
    plugins: [
      {
        name: "fault",
        setup: ({ onLoad }) =>
          onLoad({ filter: /core[\\/].*\.ts$/ }, ({ path }) => {
            if (path !== faulty) return undefined;
            const source = readFileSync(path, "utf8");
            found = source.split(fault.find).length === 2;
            return { contents: source.replace(fault.find, fault.replace), loader: "ts" };
          }),
      },
    ],
  });
  const [output] = outputFiles;
  if (!found || output === undefined) throw new Error(`not there once any more: ${fault.find}`);
  const text = Buffer.from(output.contents).toString("base64");
  return (await import(`data:text/javascript;base64,${text}`)) as Module;
}
