/** The deployment tool in a folder of its own, run in this process. */
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runGenerator } from "../../../runtimes/tools/generator/run.ts";

/** What a run said, and how it ended. */
export interface ToolEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that answers as the node's does, and starts in no time. */
const PROGRAM = `#!/bin/sh
echo "chain-node Version : 2.12.0"
`;

/** Whether openssl is on this host. */
export const HAS_OPENSSL = spawnSync("openssl", ["version"]).status === 0;

/** A tool folder below a temporary one. */
export class ToolFolder {
  readonly home: string;
  /** The tool folder. */
  readonly tool: string;

  constructor(home: string) {
    this.home = home;
    this.tool = join(home, "tool");
  }

  /** A new one, with a program placed by hand in meta. */
  static async create(): Promise<ToolFolder> {
    const folder = new ToolFolder(await mkdtemp(join(tmpdir(), "generator-")));
    await folder.run(["--create_tool_folder", "tool"], folder.home);
    folder.placeProgram();
    return folder;
  }

  placeProgram(text = PROGRAM): void {
    const program = join(this.tool, "meta", "chain-node");
    writeFileSync(program, text);
    chmodSync(program, 0o755);
  }

  /** Runs the tool in a folder, its own when none is named. */
  async run(
    args: readonly string[],
    cwd = this.tool,
    answers: readonly string[] = [],
  ): Promise<ToolEnd> {
    let stdout = "";
    let stderr = "";
    const left = [...answers];
    const code = await runGenerator(args, {
      cwd,
      env: {},
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
      ask: async (question) => {
        stderr += question;
        return left.shift() ?? "";
      },
      now: Date.now,
    });
    return { code, stdout, stderr };
  }

  path(...names: readonly string[]): string {
    return join(this.tool, ...names);
  }

  read(...names: readonly string[]): string {
    return readFileSync(this.path(...names), "utf8");
  }

  write(text: string, ...names: readonly string[]): void {
    writeFileSync(this.path(...names), text);
  }

  remove(): Promise<void> {
    return rm(this.home, { recursive: true, force: true });
  }
}

/** All files below a folder, by their paths in it, in order; the log of the tool is left out. */
export function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return files.filter((name) => !/^log\//.test(name)).sort();
}

/** Files with their content, to tell whether anything has changed. */
export function contentBelow(folder: string): ReadonlyMap<string, string> {
  const pairs = filesBelow(folder).map(
    (name) => [name, readFileSync(join(folder, name), "base64")] as const,
  );
  return new Map(pairs);
}

/** A node_deployment.ini with these values. */
export function deploymentIni(
  nodes: readonly Readonly<Record<string, string | number>>[],
  group: string | number = 1,
): string {
  const sections = nodes.map((node, index) => {
    const lines = Object.entries(node).map(([key, value]) => `${key}=${value}`);
    return [`[node${index}]`, ...lines].join("\n");
  });
  return `[group]\ngroup_id=${group}\n${sections.join("\n")}\n`;
}

/** A node on this host whose ports begin at a number. */
export function nodeAt(base: number, host = "127.0.0.1"): Record<string, string | number> {
  return {
    p2p_ip: host,
    rpc_ip: "127.0.0.1",
    channel_ip: "0.0.0.0",
    p2p_listen_port: base,
    channel_listen_port: base + 1,
    jsonrpc_listen_port: base + 2,
  };
}
