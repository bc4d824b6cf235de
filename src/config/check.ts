import { ConfigError } from './fault.ts';

/** What the checks across keys read; `Config` has this and more. */
interface Checked {
  readonly family: string;
  readonly adminKey: string | null;
  readonly keys: readonly { readonly key: string }[];
  readonly providers: readonly { readonly name: string }[];
  readonly decisions: {
    readonly engine: string;
    readonly upstreams: readonly { readonly model: string | null }[];
  };
  readonly embeddings: { readonly engine: string; readonly upstreams: readonly unknown[] };
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
  for (const [index, { model }] of config.decisions.upstreams.entries()) {
    if (config.decisions.engine !== 'logprobs' || model !== null) continue;
    fail(
      `decisions.upstreams[${index}].model`,
      'is missing; allowed: the name of a model, which logprobs needs',
    );
  }
  const needsUpstream = { decisions: ['systemone', 'logprobs'], embeddings: ['openai-compatible'] } as const;
  for (const part of ['decisions', 'embeddings'] as const) {
    const { engine, upstreams } = config[part];
    if (upstreams.length > 0 || !needsUpstream[part].some((one) => one === engine)) continue;
    fail(
      `${part}.engine`,
      `is ${engine}, but ${part}.upstreams is empty; allowed: ${engine} with at least one upstream`,
    );
  }
}
