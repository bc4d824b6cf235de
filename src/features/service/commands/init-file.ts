import type { Access, Address, Answers, Search, Source, Store } from './init-answers.ts';

/** A configuration in YAML, with what could be said beside it in comments, and the variables that it reads. */
export function toConfigurationFile({ source, listen, access, search, store }: Answers): {
  readonly text: string;
  readonly variables: readonly string[];
} {
  const parts = [toListen(listen), toStore(store), toAccess(access), toSource(source), toSearch(search)];
  return {
    text: [...head, ...parts.flatMap((lines) => ['', ...lines]), ''].join('\n'),
    variables: [
      ...(store === 'postgres' ? ['NESTOR_DATABASE_URL'] : []),
      ...variablesOf[access],
      ...(source.kind === 'service' ? [source.variable] : []),
      ...(search.kind === 'keyed' ? [search.variable] : []),
    ],
  };
}

const head = [
  '# Configuration of Nestor, written by `nestor init`. Every key has a default, and a variable of the environment wins:',
  '# NESTOR_PORT over port. Secrets stay in the environment: ${NAME} stands for the variable NAME.',
  '# `nestor config` prints all keys with the values in force; docs/guide/configuration.md tells what they mean.',
];

const loopbacks: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

const toListen = ({ host, port }: Address): readonly string[] => [
  loopbacks.has(host)
    ? '# Only this machine reaches it. 0.0.0.0 would be every address of the machine.'
    : '# Other machines reach it: put a proxy with TLS before it (docs/guide/deployment.md).',
  `host: ${quote(host)}`,
  `port: ${port}`,
];

const toStore = (store: Store): readonly string[] =>
  store === 'sqlite'
    ? [
        '# One file in the data folder, for one process. Several processes need PostgreSQL.',
        'database: sqlite',
      ]
    : ['# PostgreSQL: postgres://user:password@host/database', "database: '${NESTOR_DATABASE_URL}'"];

const variablesOf: Readonly<Record<Access, readonly string[]>> = {
  one: [],
  key: ['NESTOR_ROOT_KEY'],
  accounts: ['NESTOR_ROOT_KEY', 'NESTOR_ADMIN_KEY'],
};

function toAccess(access: Access): readonly string[] {
  if (access === 'one')
    return [
      '# The first start makes a root key and shows it once. A key of your choice:',
      "# keys: [{ key: '${NESTOR_ROOT_KEY}' }]",
    ];
  const key = ['# The key that you chose, 16 to 256 characters.', "keys: [{ key: '${NESTOR_ROOT_KEY}' }]"];
  if (access === 'key') return key;
  return [
    ...key,
    '# The key of the administration: accounts with keys and limits of their own (docs/guide/accounts.md).',
    "admin_key: '${NESTOR_ADMIN_KEY}'",
  ];
}

function toSource(source: Source): readonly string[] {
  if (source.kind === 'built-in')
    return [
      '# What ships with Nestor answers: it compares what texts mean and quotes sources. Nothing else is looked for.',
      '# A model writes and judges better: `nestor models pull qwen3-0.6b`, then `detect: true`.',
      'detect: false',
    ];
  if (source.kind === 'file')
    return [
      '# A model file in the process, for chat and for decisions.',
      'providers:',
      `  - { name: local, type: local, path: ${quote(source.path)} }`,
      'decisions:',
      '  engine: local',
      `  path: ${quote(source.path)}`,
    ];
  const { name, url } = source;
  const type = source.kind === 'service' ? source.type : 'openai-compatible';
  return [
    `# Chat, the agent and the router ask it; its models are named ${name}/…, as \`nestor models list\` shows.`,
    'providers:',
    `  - name: ${name}`,
    `    type: ${type}`,
    `    base_url: ${quote(url)}`,
    ...(source.kind === 'service' ? [`    key: '\${${source.variable}}'`] : []),
    ...aboutDecisions(source),
  ];
}

/** Decisions name their model, which only the person knows. */
const aboutDecisions = (source: Source): readonly string[] =>
  source.kind === 'server'
    ? [
        '# Decisions stay with the engine that ships. To ask this server (docs/guide/engines.md):',
        '# decisions:',
        '#   engine: logprobs',
        `#   upstreams: [{ url: ${quote(source.url.replace(/\/v1$/, ''))}, model: NAME }]`,
      ]
    : ['# Decisions stay with the engine that ships; docs/guide/engines.md names others.'];

function toSearch(search: Search): readonly string[] {
  const engines = enginesOf(search);
  if (engines.length === 0)
    return [
      '# Searches find what `nestor index add` put into the own index. The web needs an engine (docs/guide/search.md):',
      '# search: { engines: [{ type: searxng, url: "http://127.0.0.1:8888" }] }',
    ];
  return [
    '# Asked beside the own index, which is always there.',
    'search:',
    '  engines:',
    ...engines.map((engine) => `    - ${engine}`),
  ];
}

function enginesOf(search: Search): readonly string[] {
  if (search.kind === 'own') return [];
  if (search.kind === 'open')
    return ['{ type: openalex } # articles and authors', '{ type: wikidata } # people'];
  if (search.kind === 'searxng') return [`{ type: searxng, url: ${quote(search.url)} }`];
  return [`{ type: ${search.type}, key: '\${${search.variable}}' }`];
}

/** A text of JSON is one of YAML; a reference in it would be read as one. */
const quote = (text: string): string => JSON.stringify(text.replaceAll('${', () => '$${'));
