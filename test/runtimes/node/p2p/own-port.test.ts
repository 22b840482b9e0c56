/** Which addresses lead back to a port of this process. */
import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import os from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { leadsHere } from "../../../../runtimes/node/p2p/own-port.ts";

async function listening(host: string, take: Parameters<typeof createServer>[1] = () => {}) {
  const server = createServer(take);
  server.listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { server, port };
}

const HOST = "127.0.0.1";

test("an address at which a port of this process listens", async () => {
  for (const listen of [HOST, "0.0.0.0", "::"]) {
    const { server, port } = await listening(listen);
    expect(await leadsHere({ host: HOST, port }, [server]), listen).toBe(true);
  }
});

test("neither a name, nor another port, nor another host", async () => {
  const { server, port } = await listening(HOST);
  const { port: other } = await listening(HOST);
  expect(await leadsHere({ host: "localhost", port }, [server])).toBe(false);
  expect(await leadsHere({ host: HOST, port: other }, [server])).toBe(false);
  expect(await leadsHere({ host: "192.0.2.1", port }, [server])).toBe(false);
  expect(await leadsHere({ host: HOST, port }, [])).toBe(false);
});

test("where the system does not tell its addresses, none is the own one", async () => {
  const { server, port } = await listening(HOST);
  const { networkInterfaces } = os;
  onTestFinished(() => {
    os.networkInterfaces = networkInterfaces;
    syncBuiltinESMExports();
  });
  os.networkInterfaces = () => {
    throw new Error("no netlink");
  };
  syncBuiltinESMExports();
  expect(await leadsHere({ host: HOST, port }, [server])).toBe(false);
});

test("a port that somebody else answers for is not the own one", async () => {
  const { port } = await listening(HOST);
  // Says that it listens there, and sees connections: not those that go there.
  const { server: mistaken } = await listening(HOST);
  const claims = new Proxy(mistaken, {
    get(target, key) {
      if (key === "address") return () => ({ address: HOST, family: "IPv4", port });
      const value = Reflect.get(target, key) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as Server;
  const { port: busy } = mistaken.address() as AddressInfo;
  const other = connect({ host: HOST, port: busy });
  onTestFinished(() => void other.destroy());
  expect(await leadsHere({ host: HOST, port }, [claims])).toBe(false);
});
