/** Prints what happens in group 1: node subscribe.mjs ws://127.0.0.1:8545 */
// Node has a WebSocket of its own from 22 on, like browsers; before that the package ws has it.
const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;

const socket = new WebSocket(process.argv[2] ?? "ws://127.0.0.1:8545");
const names = new Map();
const WANTED = [
  ["blocks", {}],
  ["receipts", {}],
  ["logs", { topics: [null], fromBlock: "latest" }],
];

socket.onopen = () => {
  for (const [id, [kind, filter]] of WANTED.entries()) {
    const params = [1, kind, filter];
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "subscribe", params }));
  }
};

socket.onmessage = ({ data }) => {
  const { id, result, error, params } = JSON.parse(data);
  if (params !== undefined) {
    const { number, transactionHash, topics } = params.result;
    console.log(names.get(params.id), number ?? transactionHash, topics?.[0] ?? "");
  } else if (error !== undefined) console.log(error.code, error.message);
  else {
    names.set(result, WANTED[id][0]);
    console.log("subscribed", WANTED[id][0]);
  }
};

socket.onerror = ({ message = "no connection" }) => {
  console.error(message);
  process.exitCode = 1;
};
socket.onclose = ({ code, reason }) => console.log("closed", code, reason);
