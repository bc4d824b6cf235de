import { relative, resolve } from 'node:path';
import type { Static, TObject, TSchema } from 'typebox';
import { overlayEnvironment, toVariables } from './config/environment.ts';
import { ConfigError } from './config/fault.ts';
import { findFileWarnings, readConfigFile, type FoundFile } from './config/file.ts';
import { toCamelName, type Camel } from './config/names.ts';
import { parseTree, VariableText, type Scope } from './config/parse.ts';
import { printYaml, toJsonSchema } from './config/print.ts';
import { checkKernelKeys, kernelAliases, kernelKeys } from './config/schema.ts';
import { section, type Shape } from './config/shape.ts';
import type { Environment } from './config/variables.ts';

export { ConfigError } from './config/fault.ts';
export { findNearest } from './config/names.ts';

/** Keys as in `Config`: defaults filled, names in camelCase, deeply readonly. */
export type ConfigOf<Keys extends Readonly<Record<string, TSchema>>> = Camel<Static<TObject<Keys>>>;

/** Keys of the file. Features merge theirs. */
export interface ConfigKeys extends ConfigOf<typeof kernelKeys> {}

/** The whole configuration, deeply frozen: defaults filled, short forms expanded. Paths are as given. */
export interface Config extends ConfigKeys {
  /** `data`, absolute. */
  readonly dataFolder: string;
  /** The file that was read, absolute; null without one. */
  readonly configFile: string | null;
  /**
   * Keys and addresses of services under their usual names (`OPENAI_API_KEY`, `OPENAI_BASE_URL`), for detection.
   * Secret and never printed.
   */
  readonly serviceVariables: Readonly<Record<string, string>>;
  /** Warnings of one line each, without secrets. */
  readonly warnings: readonly string[];
}
/** A feature's part of the configuration. */
export interface FeatureConfig {
  /** Top-level keys. */
  readonly keys: Readonly<Record<string, TSchema>>;
  /** Alternative names of variables, with the names that follow from the key's path. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly entryVariable?: EntryVariable;
  /** Checks rules between keys. `fail` throws a ConfigError. */
  check?(config: Config, fail: Fail): void;
  /** Returns a line without secrets per setting that works but should be changed. */
  warn?(config: ConfigKeys, toSource: ToSource): readonly string[];
}

/** A variable that adds an entry to a list of mappings, unless one has the same value. */
export interface EntryVariable {
  readonly variable: string;
  readonly list: string;
  /** The key of the entry to set. */
  readonly key: string;
}

/** Throws a ConfigError about a key: `rest` says what is wrong and what is allowed. */
export type Fail = (path: string, rest: string) => never;

/** File or variable that a key was read from. */
export type ToSource = (path: string) => string;

export interface ConfigInput {
  readonly env: Environment;
  /** Base of relative paths. */
  readonly cwd: string;
  /** Replaces NESTOR_CONFIG. */
  readonly file?: string | undefined;
}

export interface Configuration {
  /** In the order of print. */
  readonly schema: TObject;
  /** Reads file and environment. Throws a ConfigError, one line without secrets. */
  load(input: ConfigInput): Config;
  /** The effective configuration as YAML with hidden secrets. */
  describe(config: Config): string;
  /** JSON Schema (draft 2020-12) of the file, for editors. */
  jsonSchema(): object;
  /** Finds the key of a variable whose path reads like `word`, as `log.level`. */
  findKey(word: string): { readonly path: string; readonly variable: string } | undefined;
}

/** `order`: keys in print; others follow. */
export function createConfiguration(
  features: readonly FeatureConfig[],
  order: readonly string[],
): Configuration {
  const schema = compose(features, order);
  return {
    schema,
    load: (input) => load(input, features, schema),
    describe: (config) => printYaml(schema, config),
    jsonSchema: () => toJsonSchema(schema),
    findKey(word) {
      const wanted = word.toLowerCase().replaceAll(/[-.]/g, '_');
      const found = [...toVariables(schema)].find(
        ([, { path, settable }]) => settable && path.join('_') === wanted,
      );
      return found && { path: found[1].path.join('.'), variable: found[0] };
    },
  };
}

/** Throws an Error for a key that two features declare. */
function compose(features: readonly FeatureConfig[], order: readonly string[]): TObject {
  const keys: Record<string, TSchema> = { ...kernelKeys };
  for (const [name, schema] of features.flatMap((feature) => Object.entries(feature.keys))) {
    if (Object.hasOwn(keys, name)) throw new Error(`two features declare the key ${name}`);
    keys[name] = schema;
  }
  const named = order.flatMap((name) => (keys[name] === undefined ? [] : [[name, keys[name]] as const]));
  return section(
    { ...Object.fromEntries(named), ...keys },
    'Configuration of Nestor. Every key has a default; an empty file is valid.',
  );
}

function load({ env, cwd, file }: ConfigInput, features: readonly FeatureConfig[], shape: TObject): Config {
  const found = findFile(env, cwd, file);
  const entryVariables = features.flatMap(({ entryVariable }) => entryVariable ?? []);
  const tree = overlayEnvironment(found?.tree, shape, env, {
    references: found?.references ?? [],
    aliases: Object.assign({}, kernelAliases, ...features.map(({ aliases }) => aliases)),
    others: ['NESTOR_CONFIG', ...entryVariables.map(({ variable }) => variable)],
  });
  const base = { path: '', source: found?.source ?? 'configuration', environment: env, family: 'svc' };
  // Defaults of other keys depend on the family.
  const rawFamily: unknown =
    typeof tree === 'object' && tree !== null ? Reflect.get(tree, 'family') : undefined;
  const family = parseTree(kernelKeys.family, rawFamily, { ...base, path: 'family' });
  const scope = { ...base, family };
  const parsed: Record<string, unknown> = { ...parseTree(shape, tree, scope) };
  const added = new Map(entryVariables.map((one) => [addEntry(parsed, one, shape, scope), one.variable]));
  const toSource = (path: string): string => {
    const variable = `NESTOR_${path.toUpperCase().replaceAll('.', '_')}`;
    return added.get(path) ?? (env[variable] ? variable : scope.source);
  };
  // The shape's keys are those of the kernel and the features, as in the merged types.
  const settings = parsed as unknown as ConfigKeys;
  const config: Config = {
    ...settings,
    dataFolder: resolve(cwd, settings.data),
    configFile: found?.path ?? null,
    serviceVariables: findServiceVariables(env),
    warnings: Object.freeze([
      ...features.flatMap((feature) => feature.warn?.(settings, toSource) ?? []),
      ...findFileWarnings(found),
    ]),
  };
  const fail: Fail = (path, rest) => {
    throw new ConfigError(`${toSource(path)}: ${path} ${rest}`);
  };
  checkKernelKeys(config, fail);
  for (const feature of features) feature.check?.(config, fail);
  return Object.freeze(config);
}

/** The named file, which must exist, or `nestor.yaml` in the data folder if present. */
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

/** Adds a variable's entry and returns the path of its value. */
function addEntry(
  parsed: Record<string, unknown>,
  { variable, list, key }: EntryVariable,
  shape: Shape,
  scope: Scope,
): string {
  const entries = parsed[toCamelName(list)];
  const item = shape.properties?.[list]?.items;
  if (!Array.isArray(entries) || item === undefined)
    throw new Error(`${list} is no list of the configuration`);
  const path = `${list}[${entries.length}]`;
  const text = scope.environment[variable];
  if (text === undefined || text === '') return `${path}.${key}`;
  const raw = { [key]: new VariableText(variable, text) };
  const entry: unknown = parseTree(item, raw, { ...scope, path, source: variable });
  const valueOf = (one: unknown): unknown => Reflect.get(Object(one), toCamelName(key));
  if (!entries.some((one) => valueOf(one) === valueOf(entry)))
    parsed[toCamelName(list)] = Object.freeze([...entries, entry]);
  return `${path}.${key}`;
}
