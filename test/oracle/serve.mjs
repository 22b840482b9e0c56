// The oracle as a process of its own: one message asks, one answers. Started by its path.
import { newChain } from './chain.mjs'; import { generate } from './generate.mjs'; import { record } from './record.mjs'; import { reexecute } from './reexecute.mjs';
const ASK = { generate, record: ({ chain, blocks }) => { const c = newChain(chain); return { ...record(c, blocks), genesis: c.genesis }; }, reexecute: ({ chain, lines }) => reexecute(chain, lines) };
process.on('message', ({ id, ask, of }) => { try { process.send({ id, answer: ASK[ask](of) }); } catch (e) { process.send({ id, error: String(e.stack) }); } });
process.on('disconnect', () => process.exit(0));
