"use strict";

module.exports.info = "reads a name";

let bc;
let context;

module.exports.init = (blockchain, contractContext) => {
  bc = blockchain;
  context = contractContext;
  return Promise.resolve();
};

module.exports.run = () => bc.queryState(context, "helloworld", "v0", undefined, "get()");

module.exports.end = () => Promise.resolve();
