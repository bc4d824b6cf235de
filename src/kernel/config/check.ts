import { ConfigError } from './fault.ts';

interface Upstream {
  readonly model: string | null;
}

/** What the checks across keys read; `Config` has this and more. */
interface Checked {
  readonly family: string;
  readonly adminKey: string | null;
  readonly keys: readonly { readonly key: string }[];
  readonly providers: readonly { readonly name: string }[];
  readonly decisions: {
    readonly engine: string;
    readonly upstreams: readonly Upstream[];
    readonly served: readonly string[];
    readonly compare: readonly {
      readonly name: string;
      readonly engine: string;
      readonly upstreams: readonly Upstream[];
    }[];
  };
  readonly aliases: { readonly models: Readonly<Record<string, string>> };
  readonly embeddings: EngineKeys;
}

/** Rules between keys, which no single key's shape can say. `toSource` names the file or variable of a key. */
export function checkConfig(config: Checked, toSource: (path: string) => string): void {
  const fail = (path: string, rest: string): never => {
    throw new ConfigError(`${toSource(path)}: ${path} ${rest}`);
  };
  const firstKeys = new Map<string, number>();
  for (const [index, { key }] of config.keys.entries()) {
    const first = firstKeys.get(key);
    if (first !== undefined)
      fail(`keys[${index}].key`, `repeats keys[${first}].key; allowed: every key once`);
    firstKeys.set(key, index);
  }
  const same = config.keys.findIndex(({ key }) => key === config.adminKey);
  if (same !== -1) fail('admin_key', `is keys[${same}].key as well; allowed: a key of its own`);
  const firstNames = new Map<string, number>();
  for (const [index, { name }] of config.providers.entries()) {
    const path = `providers[${index}].name`;
    const first = firstNames.get(name);
    if (first !== undefined)
      fail(path, `is "${name}", as providers[${first}].name; allowed: every name once`);
    if (name === config.family) fail(path, `is "${name}", as family; allowed: a name of its own`);
    if (name === 'embedded') fail(path, 'is "embedded", as the model that ships; allowed: a name of its own');
    firstNames.set(name, index);
  }
  const { decisions, embeddings } = config;
  const deciders: readonly (readonly [path: string, EngineKeys])[] = [
    ['decisions', decisions],
    ...decisions.compare.map((one, index) => [`decisions.compare[${index}]`, one] as const),
  ];
  for (const [path, { engine, upstreams }] of deciders) {
    const index = engine === 'logprobs' ? upstreams.findIndex(({ model }) => model === null) : -1;
    if (index === -1) continue;
    const rest = 'is missing; allowed: the name of a model, which logprobs needs';
    fail(`${path}.upstreams[${index}].model`, rest);
  }
  for (const [path, { engine, upstreams }] of [...deciders, ['embeddings', embeddings] as const]) {
    if (upstreams.length > 0 || !needUpstreams.has(engine)) continue;
    fail(
      `${path}.engine`,
      `is ${engine}, but ${path}.upstreams is empty; allowed: ${engine} with at least one upstream`,
    );
  }
  checkCompared(config, fail);
}

interface EngineKeys {
  readonly engine: string;
  readonly upstreams: readonly Upstream[];
}

const needUpstreams: ReadonlySet<string> = new Set(['systemone', 'logprobs', 'openai-compatible']);

/** Names that the first decider answers to, whatever the configuration says of aliases. */
const reserved: ReadonlySet<string> = new Set(['pplx-decider-v1-27b', 'jev-latest']);

/** A name is one decider's. */
function checkCompared({ decisions, aliases }: Checked, fail: (path: string, rest: string) => never): void {
  const taken = new Map<string, string>();
  for (const name of reserved) taken.set(name, 'the name of the first decider');
  for (const name of decisions.served) taken.set(name, 'decisions.served');
  for (const name of Object.keys(aliases.models)) taken.set(name, 'aliases.models');
  for (const [index, { name }] of decisions.compare.entries()) {
    const path = `decisions.compare[${index}].name`;
    const owner = taken.get(name);
    if (owner !== undefined) fail(path, `is "${name}", as ${owner}; allowed: a name of its own`);
    if (name.endsWith('-latest')) fail(path, `is "${name}"; allowed: a name that does not end in -latest`);
    taken.set(name, path);
  }
}
