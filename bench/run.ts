/** `npm run bench NAME`: runs one bench and prints its table. A bench answers one question. */
const benches: Readonly<Record<string, () => Promise<void>>> = {
  agent: async () => (await import('./agent.ts')).run(),
  affinity: async () => (await import('./affinity.ts')).run(),
  batches: async () => (await import('./batches.ts')).run(),
  accounts: async () => (await import('./accounts.ts')).run(),
  cascade: async () => (await import('./cascade.ts')).run(),
  chat: async () => (await import('./chat.ts')).run(),
  console: async () => (await import('./console.ts')).run(),
  decisions: async () => (await import('./decisions.ts')).run(),
  deciders: async () => (await import('./deciders.ts')).run(),
  examples: async () => (await import('./examples.ts')).run(),
  embeddings: async () => (await import('./embeddings.ts')).run(),
  facts: async () => (await import('./facts.ts')).run(),
  fanout: async () => (await import('./fanout.ts')).run(),
  fuzz: async () => (await import('./fuzz.ts')).run(),
  gateway: async () => (await import('./gateway.ts')).run(),
  guarantee: async () => (await import('./guarantee.ts')).run(),
  streams: async () => (await import('./streams.ts')).run(),
  soak: async () => (await import('./soak.ts')).run(),
  fits: async () => (await import('./fits.ts')).run(),
  learning: async () => (await import('./learning.ts')).run(),
  'label-sets': async () => (await import('./label-sets.ts')).run(),
  ledger: async () => (await import('./ledger.ts')).run(),
  loop: async () => (await import('./loop.ts')).run(),
  json: async () => (await import('./json.ts')).run(),
  readmes: async () => (await import('./readmes.ts')).run(),
  sandbox: async () => (await import('./sandbox.ts')).run(),
  search: async () => (await import('./search.ts')).run(),
  onnx: async () => (await import('./onnx.ts')).run(),
  'onnx-models': async () => (await import('./onnx-models.ts')).run(),
  local: async () => (await import('./local.ts')).run(),
  'local-peers': async () => (await import('./local-peers.ts')).run(),
  vectors: async () => (await import('./vectors.ts')).run(),
  verification: async () => (await import('./verification.ts')).run(),
  'local-generation': async () => (await import('./local-generation.ts')).run(),
};

const name = process.argv[2] ?? '';
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(`usage: npm run bench NAME, with NAME one of: ${Object.keys(benches).join(', ')}\n`);
  process.exitCode = 2;
} else {
  await bench();
}
