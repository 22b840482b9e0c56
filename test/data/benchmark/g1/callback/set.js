"use strict";

module.exports.info = "sets a name";

let bc;
let context;

module.exports.init = (blockchain, contractContext) => {
  bc = blockchain;
  context = contractContext;
  return Promise.resolve();
};

module.exports.run = () => {
  const args = { transaction_type: "set(string)", name: `hello! - from ${process.pid}` };
  return bc.invokeSmartContract(context, "helloworld", "v0", args, 30);
};

module.exports.end = () => Promise.resolve();
