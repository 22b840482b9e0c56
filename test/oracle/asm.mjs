// Calls by ABI and code that makes them, for the generators.
export const hx = b => Buffer.from(b).toString('hex');
const w = v => { v = BigInt(v); if (v < 0n) v += 1n << 256n; return v.toString(16).padStart(64, '0'); };
/** Encodes calls with the selectors of a suite. */
export const abiOf = suite => (sig, ...args) => { const types = sig.slice(sig.indexOf('(') + 1, -1).split(',').filter(Boolean); let head = '', tail = ''; const hl = 32 * types.length; types.forEach((t, i) => { const a = args[i]; if (t === 'string' || t === 'bytes') { head += w(hl + tail.length / 2); const b = Buffer.isBuffer(a) ? a : Buffer.from(a, 'utf8'); tail += w(b.length) + b.toString('hex').padEnd(Math.ceil(b.length / 32) * 64, '0'); } else head += w(typeof a === 'string' && a.startsWith('0x') ? BigInt(a) : a); }); return hx(suite.hash(Buffer.from(sig))).slice(0, 8) + head + tail; };
export const push = v => { let h = BigInt(v).toString(16); if (h.length % 2) h = '0' + h; const n = h.length / 2; return (0x5f + n).toString(16) + h; };
export const pushn = (v, n) => (0x5f + n).toString(16) + BigInt(v).toString(16).padStart(2 * n, '0');
// steps: {to, data, gas?, op?: 'call'|'static'|'delegate'} | {create: hex, value?, salt?} | {raw: hex}; end: 'stop'|'revert'|hex
export function script(steps, end = '00', log = true) { // two passes: data appended behind the code
  const build = base => { let code = '', data = ''; for (const s of steps) { if (s.raw !== undefined) { code += s.raw; continue; } const d = s.create ?? s.data; const len = d.length / 2; if (len) code += pushn(len, 3) + pushn(base + data.length / 2, 3) + '600039'; if (s.create !== undefined) { if (s.salt !== undefined) code += push(s.salt); code += pushn(len, 3) + '6000' + push(s.value ?? 0) + (s.salt !== undefined ? 'f5' : 'f0'); } else { const op = s.op ?? 'call'; code += '60006000' + pushn(len, 3) + '6000' + (op === 'call' ? push(s.value ?? 0) : '') + push(s.to) + (s.gas ? push(s.gas) : '5a') + { call: 'f1', static: 'fa', delegate: 'f4' }[op]; } data += d; if (s.store !== undefined) code += '80' + push(s.store) + '55'; if (log && s.log !== false) code += '3d6000803e' + '3d6000a1'; else code += '50'; } code += end; return [code, data]; };
  let [c] = build(0); const [code, data] = build(c.length / 2); return code + data; }
// Deploys code: copies what stands behind these 16 bytes.
export const deployer = code => { const n = code.length / 2; return pushn(n, 3) + '60106000' + '39' + pushn(n, 3) + '6000f3' + code; };
