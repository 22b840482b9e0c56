// Transactions of a seed: node generate.mjs KIND SEED VERSION [BLOCKS TRANSACTIONS [sm]] > BLOCKS.json
import { evm } from './evm.mjs'; import { tables } from './tables.mjs'; import { system } from './system.mjs'; import { life } from './life.mjs'; import { charging } from './charging.mjs'; import { dag } from './dag.mjs'; import { solidity } from './solidity.mjs';
const KINDS = { evm, tables, system, life, charging, dag, solidity }; export const generate = o => KINDS[o.kind](o);
if (import.meta.filename === process.argv[1]) { const [kind, seed, version, blocks = 10, transactions = 14, suite] = process.argv.slice(2); console.log(JSON.stringify({ blocks: generate({ kind, seed: +seed, version, blocks: +blocks, transactions: +transactions, sm: suite === 'sm' }) })); }
