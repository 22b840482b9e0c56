// A ledger as files: NAME.jsonl.gz with NAME.meta.json and NAME.genesis.txt next to it.
import fs from 'node:fs'; import zlib from 'node:zlib'; import path from 'node:path';
export function readChain(f) { const stem = f.replace(/\.jsonl(\.gz)?$/, ''), meta = JSON.parse(fs.readFileSync(stem + '.meta.json')); const gen = [stem + '.genesis.txt', stem + '.genesis', path.join(path.dirname(stem), path.basename(stem).replace(/^group/, 'group.') + '.genesis.txt'), path.join(path.dirname(stem), path.basename(stem).replace(/^group/, 'group.') + '.genesis')].find(n => fs.existsSync(n)); return { version: meta.supported_version, sm: meta.sm_crypto === true, genesis: fs.readFileSync(gen, 'utf8') }; }
export const readLines = f => { const b = fs.readFileSync(f); return (f.endsWith('.gz') ? zlib.gunzipSync(b) : b).toString().trim().split('\n'); };
export const writeLines = (f, lines) => fs.writeFileSync(f, zlib.gzipSync(lines.join('\n') + '\n'));
