import { relative, resolve } from 'node:path';
import { checkConfig } from './config/check.ts';
import { overlayEnvironment } from './config/environment.ts';
import { ConfigError } from './config/fault.ts';
import { readConfigFile, type ConfigFile } from './config/file.ts';
import type { Camel } from './config/names.ts';
import { parseTree, VariableText } from './config/parse.ts';
import { printYaml, toJsonSchema } from './config/print.ts';
import { RootKey, Settings } from './config/schema.ts';
import type { Environment } from './config/variables.ts';
import { findWarnings } from './config/warnings.ts';

export { ConfigError } from './config/fault.ts';
export { findNearest } from './config/names.ts';

/** The whole configuration: every default filled, short forms expanded, deeply frozen. Paths are as given. */
export interface Config extends Camel<Settings> {
  /** `data`, absolute. */
  readonly dataFolder: string;
  /** The file that was read, absolute; null when there is none. */
  readonly configFile: string | null;
  /**
   * Keys and addresses of services under their customary names in the environment (`OPENAI_API_KEY`,
   * `OPENAI_BASE_URL`), for detection. Secret; no part of the settings and never printed.
   */
  readonly serviceVariables: Readonly<Record<string, string>>;
  /** What works and should not stay so, each as one line without secrets. */
  readonly warnings: readonly string[];
}
export type RootKeyConfig = Config['keys'][number];
export type ProviderConfig = Config['providers'][number];
export type ProviderModelConfig = Exclude<ProviderConfig['models'], '*'>[number];
export type UpstreamConfig = Config['decisions']['upstreams'][number];
export type SearchEngineConfig = Config['search']['engines'][number];

export interface ConfigInput {
  readonly env: Environment;
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** Read in place of NESTOR_CONFIG. */
  readonly file?: string | undefined;
}

/** Reads the file and the environment. Throws a ConfigError, one line without secrets, for all that is wrong. */
export function loadConfig({ env, cwd, file }: ConfigInput): Config {
  const found = findFile(env, cwd, file);
  const tree = overlayEnvironment(found?.tree, Settings, env, found?.references ?? []);
  const base = { path: '', source: found?.source ?? 'configuration', environment: env, family: 'svc' };
  // The family is read ahead, because the defaults of other keys are named after it.
  const rawFamily: unknown =
    typeof tree === 'object' && tree !== null ? Reflect.get(tree, 'family') : undefined;
  const family = parseTree(Settings.properties.family, rawFamily, { ...base, path: 'family' });
  const scope = { ...base, family };
  const settings = parseTree(Settings, tree, scope);
  const keys = Object.freeze(addRootKey(settings.keys, env, family));
  const toSource = (path: string): string => {
    const variable = `NESTOR_${path.toUpperCase().replaceAll('.', '_')}`;
    const isAdded = path === `keys[${settings.keys.length}].key`;
    return isAdded ? 'NESTOR_ROOT_KEY' : env[variable] ? variable : scope.source;
  };
  const config: Config = {
    ...settings,
    keys,
    dataFolder: resolve(cwd, settings.data),
    configFile: found?.path ?? null,
    serviceVariables: findServiceVariables(env),
    warnings: Object.freeze(findWarnings({ ...settings, keys }, found, toSource)),
  };
  checkConfig(config, toSource);
  return Object.freeze(config);
}

/** The effective configuration as YAML, names as in the file, secrets hidden. */
export const describeConfig = (config: Config): string => printYaml(Settings, config);

/** JSON Schema (draft 2020-12) of the file, for editors. */
export const configJsonSchema = (): object => toJsonSchema(Settings, 'urn:nestor:configuration');

interface FoundFile extends ConfigFile {
  readonly path: string;
  /** The path as messages name it. */
  readonly source: string;
}

/** The named file, which must exist, else `nestor.yaml` in the data folder if there is one. */
function findFile(env: Environment, cwd: string, file: string | undefined): FoundFile | undefined {
  const named = file ?? (env['NESTOR_CONFIG'] || undefined);
  const path = resolve(cwd, named ?? resolve(cwd, env['NESTOR_DATA'] || './data', 'nestor.yaml'));
  const source = named ?? (relative(cwd, path) || path);
  const found = readConfigFile(path, source);
  if (found !== undefined) return { ...found, path, source };
  if (named === undefined) return undefined;
  const origin = file === undefined ? 'NESTOR_CONFIG' : 'configuration';
  throw new ConfigError(`${origin}: the file ${JSON.stringify(named)} does not exist; allowed: a YAML file`);
}

function findServiceVariables(env: Environment): Config['serviceVariables'] {
  const found = Object.entries(env).flatMap(([name, value]) =>
    /^(?!NESTOR_)[A-Z][A-Z0-9_]*_(API_KEY|BASE_URL)$/.test(name) && value ? [[name, value] as const] : [],
  );
  return Object.freeze(Object.fromEntries(found));
}

/** NESTOR_ROOT_KEY opens the account "default", unless the file lists the same key already. */
function addRootKey(keys: Config['keys'], env: Environment, family: string): Config['keys'] {
  const text = env['NESTOR_ROOT_KEY'];
  if (text === undefined || text === '') return keys;
  const raw = { key: new VariableText('NESTOR_ROOT_KEY', text) };
  const scope = { path: `keys[${keys.length}]`, source: 'NESTOR_ROOT_KEY', environment: env, family };
  const added = parseTree(RootKey, raw, scope);
  return keys.some(({ key }) => key === added.key) ? keys : [...keys, added];
}
