/** Rows of a table, through the precompiled service for them. */
import { precompiled, type Sample } from "./sample.ts";

/** What all workloads of the table have in common. */
const TABLE = `"use strict";

/** Rows of a table of the chain. */
class Table {
  async initializeWorkloadModule(workerIndex, workers, roundIndex, roundArguments, sutAdapter) {
    this.sutAdapter = sutAdapter;
    this.workerIndex = workerIndex;
    this.table = roundArguments.table;
    this.count = 0;
  }

  /** Keys of this worker, one after the other. */
  nextKey() {
    this.count += 1;
    return "key" + this.workerIndex + "-" + this.count;
  }

  async send(contractId, args, readOnly = false) {
    await this.sutAdapter.sendRequests({ contractId, args, readOnly });
  }

  async cleanupWorkloadModule() {}
}

module.exports.Table = Table;
`;

const INSERT = `"use strict";
const { Table } = require("./table.cjs");

class Insert extends Table {
  async initializeWorkloadModule(...place) {
    await super.initializeWorkloadModule(...place);
    // A user who comes second is informed that the table is there, which is no failure.
    await this.send("tables", {
      transaction_type: "createTable(string,string,string)",
      table: this.table,
      key: "name",
      fields: "item_id,item_name",
    });
  }

  async submitTransaction() {
    const key = this.nextKey();
    const entry = JSON.stringify({ item_id: String(this.count), item_name: "item of " + key });
    const transaction_type = "insert(string,string,string,string)";
    await this.send("crud", { transaction_type, table: this.table, key, entry, optional: "" });
  }
}

module.exports.createWorkloadModule = () => new Insert();
`;

const SELECT = `"use strict";
const { Table } = require("./table.cjs");

class Select extends Table {
  async submitTransaction() {
    const transaction_type = "select(string,string,string,string)";
    const args = { table: this.table, key: this.nextKey(), condition: "{}", optional: "" };
    await this.send("crud", { transaction_type, ...args }, true);
  }
}

module.exports.createWorkloadModule = () => new Select();
`;

const UPDATE = `"use strict";
const { Table } = require("./table.cjs");

class Update extends Table {
  async submitTransaction() {
    const transaction_type = "update(string,string,string,string,string)";
    const entry = JSON.stringify({ item_name: "updated" });
    const place = { table: this.table, key: this.nextKey() };
    await this.send("crud", { transaction_type, ...place, entry, condition: "{}", optional: "" });
  }
}

module.exports.createWorkloadModule = () => new Update();
`;

const REMOVE = `"use strict";
const { Table } = require("./table.cjs");

class Remove extends Table {
  async submitTransaction() {
    const transaction_type = "remove(string,string,string,string)";
    const args = { table: this.table, key: this.nextKey(), condition: "{}", optional: "" };
    await this.send("crud", { transaction_type, ...args });
  }
}

module.exports.createWorkloadModule = () => new Remove();
`;

const ROUNDS = [
  ["insert", "Inserts rows, each with a key of its own", 100],
  ["select", "Reads rows by their key: calls", 200],
  ["update", "Changes rows", 100],
  ["remove", "Removes rows", 100],
] as const;

/** `crud`. */
export const CRUD: Sample = {
  name: "crud",
  says: "a table: insert, select, update, remove",
  workers: 1,
  groups: [1],
  contracts: [precompiled("tables", 0x1001), precompiled("crud", 0x1002)],
  rounds: ROUNDS.map(([label, description, tps]) => ({
    label,
    description,
    txNumber: 300,
    tps,
    module: `workload/${label}.cjs`,
    arguments: { table: "t_bench" },
  })),
  files: {
    "workload/table.cjs": TABLE,
    "workload/insert.cjs": INSERT,
    "workload/select.cjs": SELECT,
    "workload/update.cjs": UPDATE,
    "workload/remove.cjs": REMOVE,
  },
};
