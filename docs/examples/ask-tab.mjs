// Asks the node of this browser from any page of the origin: save it next to bridge.js, and load it by
// <script type="module" src="ask-tab.mjs"></script>
import { connectTabNode } from "./bridge.js";

const say = (text) => document.body.append(text, document.createElement("br"));
const tab = await connectTabNode();

// Whichever tab started it: a chain that runs is there for all of them.
if (tab.status().phase === "off" && !tab.status().chain) {
  await tab.start({ kind: "chain", nodes: 4, consensus: "pbft" });
}
say(`block ${await tab.provider.request({ method: "getBlockNumber", params: [1] })}`);

// Errors have the node's code and message.
try {
  await tab.provider.request({ method: "getBlockNumber", params: [9] });
} catch ({ code, message }) {
  say(`group 9: ${code} ${message}`);
}

const stop = await tab.provider.subscribe("blocks", [1], ({ number, hash }) => {
  say(`block ${number} is ${hash}`);
});
addEventListener("pagehide", stop);
