// A chain of one sealer to generate ledgers for: node chain.mjs DIR NAME VERSION FREE(true|false) [sm] writes DIR/NAME.genesis.txt and DIR/NAME.meta.json.
import fs from 'node:fs'; import { hex, NODEKEY, suiteOf } from './suite.mjs';
export function newChain({ version, free, sm }) {
  const genesis = `[consensus]
    consensus_type=pbft
    max_trans_num=1000
    consensus_timeout=3
    epoch_sealer_num=1
    epoch_block_num=1000
    ; the node id of consensusers
    node.0=${hex(suiteOf(sm).publicKey(NODEKEY))}
[state]
    type=storage
[tx]
    gas_limit=300000000
[group]
    id=1
    timestamp=1700000000000
[evm]
    enable_free_storage=${free}
`;
  return { version, free, sm, genesis, meta: `${JSON.stringify({ supported_version: version, sm_crypto: sm })}\n` }; }
if (import.meta.filename === process.argv[1]) { const [dir, name, version, free, suite] = process.argv.slice(2); const { genesis, meta } = newChain({ version, free: free === 'true', sm: suite === 'sm' }); fs.mkdirSync(dir, { recursive: true }); fs.writeFileSync(`${dir}/${name}.genesis.txt`, genesis); fs.writeFileSync(`${dir}/${name}.meta.json`, meta); }
