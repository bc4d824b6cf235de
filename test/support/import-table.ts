/**
 * Who may import whom, as data: `docs/architecture.md`, "May import". What is absent is forbidden. A file or
 * folder belongs to the longest part that its path begins with. A part may always import itself, except that
 * the members of a family are parts of their own.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  'faults.ts': [],
  kit: [],
  'config.ts': ['config'],
  config: ['config.ts'],
  http: ['kit', 'faults.ts'],
  storage: ['kit', 'faults.ts'],
  models: ['kit', 'faults.ts'],
  embeddings: ['kit', 'faults.ts'],
  search: ['kit', 'faults.ts'],
  sandbox: ['kit', 'faults.ts'],
  corpus: ['kit', 'faults.ts', 'storage', 'search'],
  decisions: ['kit', 'faults.ts', 'models'],
  evaluation: ['kit', 'faults.ts', 'decisions'],
  tools: ['kit', 'faults.ts', 'models', 'search', 'sandbox', 'skills'],
  agent: ['kit', 'faults.ts', 'models', 'tools', 'search', 'skills'],
  chat: ['kit', 'faults.ts', 'models', 'search', 'tools', 'agent'],
  skills: ['kit', 'faults.ts', 'storage'],
  accounts: ['kit', 'faults.ts', 'storage'],
  jobs: ['kit', 'faults.ts', 'storage', 'accounts'],
  client: ['kit'],
  mcp: ['kit', 'client'],
  operations: [
    'http',
    'kit',
    'faults.ts',
    'models',
    'embeddings',
    'search',
    'tools',
    'decisions',
    'agent',
    'chat',
    'accounts',
    'jobs',
    'skills',
    'client',
    'mcp',
  ],
  'server.ts': ['*'],
  server: ['*'],
  commands: [
    'config.ts',
    'kit',
    'faults.ts',
    'models',
    'accounts',
    'jobs',
    'decisions',
    'evaluation',
    'client',
    'mcp',
    'corpus',
  ],
  'main.ts': ['server.ts', 'server', 'config.ts', 'kit', 'commands'],
};

/** Folders whose sub-folders are members. Only their `index.ts` may import members. */
export const families: readonly string[] = [
  'decisions/engines',
  'embeddings/engines',
  'models/providers',
  'operations',
  'sandbox/runners',
  'search/engines',
  'tools',
];

/** What single members may import beyond their family's part. */
export const memberExtras: Readonly<Record<string, readonly string[]>> = {
  'search/engines/corpus': ['storage'],
  'decisions/engines/local': ['models/providers/local/engine.ts'],
  'embeddings/engines/local': ['models/providers/local/engine.ts'],
};

/** Files that import what only the operator knows: packages named in the configuration. */
export const importsByName: readonly string[] = ['models/providers/ai-sdk/load.ts'];
