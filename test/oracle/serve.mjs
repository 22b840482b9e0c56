// The oracle as a process of its own: one message asks, one answers. Started by its path.
import { newChain } from './chain.mjs'; import { generate } from './generate.mjs'; import { record } from './record.mjs'; import { reexecute } from './reexecute.mjs'; import { verify } from './verify.mjs';
const ASK = { generate, record: ({ chain, blocks }) => { const c = newChain(chain); return { ...record(c, blocks), genesis: c.genesis }; }, reexecute: ({ chain, lines }) => { const found = reexecute(chain, lines); for (const defect of verify(chain, lines).bad) found.differences.push({ block: 0, field: defect, recorded: 'right', computed: 'wrong' }); return found; } };
process.on('message', ({ id, ask, of }) => { try { process.send({ id, answer: ASK[ask](of) }); } catch (e) { process.send({ id, error: String(e.stack) }); } });
process.on('disconnect', () => process.exit(0));
