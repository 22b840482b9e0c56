/**
 * The classic files of agencies are accepted as a network, and what is wrong in them is reported.
 */
// rules: generator 3, interface 2.7
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { readChainFolder } from "../../../../runtimes/folder/chain-reader.ts";
import { ConfigFault } from "../../../../runtimes/formats/config/config-fault.ts";
import { FolderFault } from "../../../../runtimes/folder/folder-fault.ts";
import { readNetwork } from "../../../../runtimes/tools/network/classic-files.ts";
import { networkText } from "../../../../runtimes/tools/network/network-text.ts";
import { parseNetwork } from "../../../../runtimes/tools/network/network-file.ts";
import { writeMissing } from "../../../../runtimes/tools/network/up.ts";
import { portsInRow } from "../../../support/process/ports.ts";

const scratch = mkdtempSync(join(tmpdir(), "chain-classic-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let made = 0;

/** A folder with the files of agencies, by their names. */
function workFolder(files: Readonly<Record<string, string>>): string {
  const home = join(scratch, `Work Dir ${made++}`);
  for (const [agency, text] of Object.entries(files)) {
    mkdirSync(join(home, agency), { recursive: true });
    writeFileSync(join(home, agency, "node_deployment.ini"), text);
  }
  return home;
}

const section = (number: number, port: number) => `[node${number}]
p2p_ip=127.0.0.1
rpc_ip=127.0.0.1
channel_ip=0.0.0.0
p2p_listen_port=${port}
channel_listen_port=${port + 1}
jsonrpc_listen_port=${port + 2}
`;
const agency = (group: number, ...ports: readonly number[]) =>
  `[group]\ngroup_id=${group}\n${ports.map((port, index) => section(index, port)).join("")}`;

test("agencies are the folders, nodes their sections, all sealers of the group", async () => {
  const home = workFolder({ agencyA: agency(3, 30_300, 30_310), agencyB: agency(3, 30_320) });
  const spec = await readNetwork(home);
  assert.deepEqual(
    [spec.form, spec.name, spec.folder],
    ["classic", "work-dir-0", `${home}/network`],
  );
  assert.deepEqual(spec.agencies, ["agencyA", "agencyB"]);
  const names = ["node_127.0.0.1_30300", "node_127.0.0.1_30310", "node_127.0.0.1_30320"];
  assert.deepEqual(
    spec.nodes.map(({ name }) => name),
    names,
  );
  assert.deepEqual(spec.nodes[2]?.ports, { rpc: 30_322, channel: 30_321, p2p: 30_320 });
  assert.deepEqual(spec.groups, [{ id: 3, consensus: "pbft", sealers: names, observers: [] }]);
});

test("the chain is written next to them, and told in full it is the same network", async () => {
  const port = await portsInRow(6);
  const home = workFolder({ A: agency(1, port), B: agency(1, port + 3) });
  const spec = await readNetwork(home);
  const network = await writeMissing(spec, () => undefined);
  const chain = await readChainFolder(join(home, "network"));
  const [first] = chain?.nodes ?? [];
  assert.equal(first?.name, `node_127.0.0.1_${port}`);
  assert.equal(first?.agency, "A");
  assert.equal(first?.config.rpc.channel.ip, "0.0.0.0");
  assert.equal(first?.config.p2p.listen.ip, "127.0.0.1");
  const again = parseNetwork(networkText(network), join(home, "network.yaml"));
  assert.deepEqual(again.nodes, spec.nodes);
  assert.deepEqual(again.groups, spec.groups);
  assert.equal(again.folder, spec.folder);
});

async function refusalOf(home: string): Promise<string> {
  const error = await readNetwork(home).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof FolderFault || error instanceof ConfigFault, String(error));
  return error.message;
}

test("what does not fit together is reported with its file and key", async () => {
  const ports = await refusalOf(workFolder({ A: agency(1, 30_300), B: agency(1, 30_301) }));
  assert.match(
    ports,
    /B\/node_deployment\.ini, line \d+, \[node0\] p2p_listen_port = "30301" is not allowed/,
  );
  const groups = await refusalOf(workFolder({ A: agency(1, 30_300), B: agency(2, 30_310) }));
  assert.equal(groups, "the agencies name different groups (A 1, B 2): one is wanted.");
  const none = await refusalOf(workFolder({}).replace(/Dir \d+$/, "Dir 0/agencyA"));
  assert.match(none, /no folder in .* holds a node_deployment\.ini/);
  const built = workFolder({ A: agency(1, 30_300) });
  mkdirSync(join(built, "A", "node"));
  assert.match(await refusalOf(built), /holds nodes that the generator made: bash .*start_all\.sh/);
});
