/** Cases of TLS and certificates. Source: channel-protocol 2.1, 2.2 */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import {
  type ChannelClient,
  refusalOf,
  type SdkFiles,
} from "../../../support/channel/channel-client.ts";
import {
  type FolderPlace,
  MOST_SESSIONS,
  RSA_NODE,
} from "../../../support/channel/channel-folder-place.ts";
import type { Visit } from "../../../support/channel/channel-place.ts";
import { sentCertificates } from "../../../support/channel/tls-records.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

type Place = Visit<FolderPlace>;

/** The certificates of a file, in DER. */
function certificatesOf(pem: string): X509Certificate[] {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return texts.map((text) => new X509Certificate(text));
}

/** A case of a client that node 0 refuses while it goes on serving. */
function refused(
  rows: readonly string[],
  test: string,
  change: (place: FolderPlace) => Partial<SdkFiles> & { readonly tls?: ConnectionOptions },
): RowCase<Place> {
  const run = async (visit: Place) => {
    const client = await visit.open();
    const { channel } = visit.node(0);
    const { tls = {}, ...files } = change(visit.place);
    const outcome = await refusalOf({ ...channel, sdk: { ...channel.sdk, ...files } }, tls);
    assert.notEqual(outcome, "admitted");
    await client.result("getGroupList");
  };
  return { rows: [...rows, "2.2.2 text 3"], test, run };
}

/** A case of a client whose TLS asks for something, and what comes of it. */
async function settled(visit: Place, tls: ConnectionOptions) {
  const { socket } = await visit.open(0, { tls });
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().name,
    group: socket.getEphemeralKeyInfo(),
    alpn: socket.alpnProtocol,
    isReused: socket.isSessionReused(),
  };
}

/** Whether TLS accepts a connection from here. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => socket.destroy() && resolve(true));
    socket.once("error", () => resolve(false));
  });
}

/** The cases. */
export const TLS_CASES: readonly RowCase<Place>[] = [
  {
    rows: [...rowsOf("2.2", 1, 3), ...rowsOf("2.2.2", 1), "2.2.2 text 2"],
    test: "TLS 1.2 with secp256k1 and AES-GCM is settled",
    run: async (visit) => {
      for (const bits of [128, 256]) {
        const hash = bits === 128 ? "SHA256" : "SHA384";
        const ciphers = `ECDHE-ECDSA-AES${bits}-GCM-${hash}`;
        const { protocol, cipher, group } = await settled(visit, { ciphers });
        assert.deepEqual([protocol, cipher], ["TLSv1.2", ciphers]);
        assert.deepEqual(group, { type: "ECDH", name: "secp256k1", size: 256 });
      }
      const groups = await settled(visit, { ecdhCurve: "X25519:P-256:secp256k1" });
      assert.deepEqual(groups.group, { type: "ECDH", name: "secp256k1", size: 256 });
    },
  },
  refused(rowsOf("2.2", 1), "TLS 1.3 alone is refused", () => ({
    tls: { minVersion: "TLSv1.3", maxVersion: "TLSv1.3", ecdhCurve: "X25519:P-256" },
  })),
  refused(rowsOf("2.2", 1), "TLS 1.1 is refused", () => ({
    tls: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
  })),
  {
    rows: rowsOf("2.2", 1),
    test: "a client that also knows TLS 1.3 gets 1.2",
    run: async (visit) => {
      const tls = { maxVersion: "TLSv1.3", ecdhCurve: "X25519:P-256:secp256k1" } as const;
      assert.equal((await settled(visit, tls)).protocol, "TLSv1.2");
    },
  },
  {
    rows: [...rowsOf("2.2", 4, 5), ...rowsOf("2.2", 11, 13), "2.2 text 1", "2.2 text 2"],
    test: "certificates of deployment tools are taken, and the node sends its file in order",
    run: async (visit) => {
      const client = await visit.open(0, { recorded: true });
      const sent = sentCertificates(client.recorded?.records() ?? []);
      const written = certificatesOf(visit.place.nodePath);
      assert.deepEqual(
        sent.map((it) => it.toString("hex")),
        written.map(({ raw }) => raw.toString("hex")),
      );
      assert.equal(written.length, 3);
      assert.match(written[2]?.subject ?? "", /^CN=chain\nO=fisco-bcos\nOU=chain$/);
      await client.result("getGroupList");
    },
  },
  {
    rows: rowsOf("2.2", 7),
    test: "any name that a client asks for is served",
    run: async (visit) => {
      const { protocol } = await settled(visit, { servername: "no.such.node" });
      assert.equal(protocol, "TLSv1.2");
    },
  },
  {
    rows: rowsOf("2.2", 8),
    test: "no protocol is chosen by ALPN and no session is resumed",
    run: async (visit) => {
      const first = await visit.open();
      const session = first.socket.getSession();
      const again = { ...(session ? { session } : {}), ALPNProtocols: ["http/1.1"] };
      const { alpn, isReused } = await settled(visit, again);
      assert.deepEqual([alpn, isReused], [false, false]);
      assert.equal(first.socket.getTLSTicket(), undefined);
    },
  },
  refused(
    [...rowsOf("2.2", 6), ...rowsOf("2.2.2", 5), ...rowsOf("14", 25)],
    "a client without a certificate is refused",
    () => ({ tls: { cert: undefined, key: undefined } }),
  ),
  refused(rowsOf("2.2.2", 2), "a client that sends only its leaf is refused", (place) => {
    const [leaf = ""] = place.nodes[0]?.channel.sdk.cert.split(/(?<=END CERTIFICATE-----\n)/) ?? [];
    return { cert: leaf };
  }),
  refused(
    [...rowsOf("2.2.2", 3), ...rowsOf("10", 1), ...rowsOf("14", 25), "2.2 text 3"],
    "a client of another agency of the chain is refused",
    ({ otherAgency }) => otherAgency,
  ),
  refused(rowsOf("2.2.2", 4), "a client of another chain is refused", ({ otherChain }) => ({
    ...otherChain,
  })),
  refused(rowsOf("2.2", 6), "a client whose certificate has expired is refused", (place) => ({
    ...place.expired,
  })),
  refused(rowsOf("2.2.2", 6), "a client whose groups lack secp256k1 is refused", () => ({
    tls: { ecdhCurve: "P-256" },
  })),
  {
    rows: ["2.2 text 4", "2.2.1 text 1"],
    test: "a client whose key is of another kind, so that no list knows it, is refused",
    run: async (visit) => {
      const { channel } = visit.node(0);
      for (const sdk of visit.place.otherKeys)
        assert.notEqual(await refusalOf({ ...channel, sdk }), "admitted");
      await (await visit.open()).result("getGroupList");
    },
  },
  {
    rows: ["2.2.2 text 3"],
    test: "what is no TLS ends its own connection and nobody else's",
    run: async (visit) => {
      const client = await visit.open();
      const { host, port } = visit.node(0).channel;
      for (const text of ["GET / HTTP/1.1\r\n\r\n", "\u0016\u0003\u0001\u0000\u0005hello"]) {
        const socket = connect(port, host);
        socket.on("error", () => undefined).resume();
        socket.write(text, "latin1");
        await new Promise((resolve) => socket.once("close", resolve));
      }
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: rowsOf("2.1", 4),
    test: "beyond channel_max_sessions the session that is idle longest gives way",
    run: async (visit) => {
      const clients: ChannelClient[] = [];
      for (let opened = 0; opened < MOST_SESSIONS; opened++) {
        const client = await visit.open(RSA_NODE);
        await client.result("getGroupList");
        clients.push(client);
      }
      const { channel } = visit.node(RSA_NODE);
      assert.equal(await refusalOf(channel), "admitted");
      await clients[0]?.untilClosed();
    },
  },
  {
    rows: rowsOf("2.1", 1, 2),
    test: "without an address the port listens on this machine, and a line names the key",
    run: async (visit) => {
      const process = visit.place.processes[RSA_NODE];
      assert.ok(process);
      const config = await readFile(join(process.folder, "config.ini"), "utf8");
      assert.doesNotMatch(config, /^\s*channel_listen_ip/m);
      const { host, port } = visit.node(RSA_NODE).channel;
      assert.match(config, new RegExp(`^\\s*channel_listen_port\\s*=\\s*${port}$`, "m"));
      assert.ok(await answers(host, port));
      // Also of this machine, but reached only by what listens on every address.
      assert.equal(await answers("127.0.0.2", port), false);
      assert.match(process.errors(), /channel_listen_ip/);
    },
  },
  {
    rows: [...rowsOf("2.2.1", 1, 3), ...rowsOf("2.2.1", 6, 7), ...rowsOf("2.2", 9)],
    test: "in RSA mode ECDHE over secp256k1, any library's group, and static RSA are settled",
    run: async (visit) => {
      const tries = [
        { tls: {}, cipher: /^ECDHE-RSA-AES(128|256)-GCM/, group: "secp256k1" },
        { tls: { ecdhCurve: "P-256" }, cipher: /^ECDHE-RSA-AES(128|256)-GCM/, group: "prime256v1" },
        { tls: { ciphers: "AES256-GCM-SHA384" }, cipher: /^AES256-GCM-SHA384$/, group: undefined },
        { tls: { ciphers: "AES128-GCM-SHA256" }, cipher: /^AES128-GCM-SHA256$/, group: undefined },
      ];
      for (const { tls, cipher, group } of tries) {
        const client = await visit.open(RSA_NODE, { tls });
        assert.match(client.socket.getCipher().name, cipher);
        const key = client.socket.getEphemeralKeyInfo() as { name?: string } | null;
        assert.equal(key?.name, group);
        await client.result("getGroupList");
      }
    },
  },
  {
    rows: [...rowsOf("2.2.1", 2), ...rowsOf("2.2.1", 4, 5)],
    test: "in RSA mode no issuer is compared and no list restricts anybody",
    run: async (visit) => {
      const { channel } = visit.node(RSA_NODE);
      for (const sdk of [channel.sdk, visit.place.plainRsa]) {
        const client = await visit.openAt({ ...channel, sdk });
        const answer = await client.rpc("getBlockNumber", 1);
        assert.notEqual(answer.error?.code, -40_012);
      }
    },
  },
  {
    rows: ["2.2.1 text 1"],
    test: "a client with the files of the other mode is refused, both ways",
    run: async (visit) => {
      const [plain, rsa] = [visit.node(0).channel, visit.node(RSA_NODE).channel];
      const mixed = [
        { ...plain, sdk: { ...rsa.sdk, ca: plain.sdk.ca } },
        { ...rsa, sdk: { ...plain.sdk, ca: rsa.sdk.ca } },
      ];
      for (const address of mixed) assert.notEqual(await refusalOf(address), "admitted");
    },
  },
];
