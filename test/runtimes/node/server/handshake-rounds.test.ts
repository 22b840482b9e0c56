/** Handshakes of a burst of connections begin in many rounds of the event loop. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "vitest";
import { HandshakeRounds } from "../../../../runtimes/node/server/handshake-rounds.ts";

const nextRound = () => new Promise((resolve) => void setImmediate(resolve));
const socketOf = (remoteAddress: string) => ({ remoteAddress, destroyed: false }) as Socket;

test("a few handshakes begin in a round, of addresses in turn; who has gone takes no place", async () => {
  const begun: Socket[] = [];
  const rounds = new HandshakeRounds((socket) => void begun.push(socket));
  const many = Array.from({ length: 20 }, () => socketOf("10.0.0.1"));
  const other = socketOf("10.0.0.2");
  for (const socket of [...many, other]) rounds.add(socket);
  Object.assign(many[3] ?? {}, { destroyed: true });
  await nextRound();
  assert.equal(begun.length, 8);
  assert.ok(begun.indexOf(other) < 2, "another address has its turn");
  await nextRound();
  await nextRound();
  assert.equal(begun.length, 20);
  rounds.add(other);
  await nextRound();
  assert.equal(begun.length, 21);
});
