import { ConfigError } from './fault.ts';
import { findNearest } from './names.ts';
import { VariableText } from './parse.ts';
import type { Shape } from './shape.ts';
import type { Environment } from './variables.ts';

/** Variables of tests and benchmarks. */
const reserved = /^NESTOR_(TEST|BENCH)_/;

/**
 * Kubernetes sets NESTOR_SERVICE_HOST, NESTOR_PORT_8787_TCP and even NESTOR_PORT, as `tcp://…`, for a service called
 * `nestor`; they must not stop the start.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
  (name.endsWith('_PORT') && /^(tcp|udp|sctp):/.test(value));

/** Names that do not follow from the keys. */
interface VariableNames {
  /** Variables that the file refers to. */
  readonly references: readonly string[];
  /** Alternative names, with the names that follow from the key's path. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Variables that are read elsewhere. */
  readonly others: readonly string[];
}

interface Variable {
  readonly path: readonly string[];
  /** False for lists of mappings and free maps. */
  readonly settable: boolean;
}

/** Every key as a variable: its path in capitals. Lists of strings are settable, with commas. */
export function toVariables(shape: Shape, path: readonly string[] = []): ReadonlyMap<string, Variable> {
  const variables = new Map<string, Variable>();
  for (const [name, inner] of Object.entries(shape.properties ?? {})) {
    const innerPath = [...path, name];
    if (inner.properties === undefined) {
      const variable = `NESTOR_${innerPath.join('_').toUpperCase()}`;
      variables.set(variable, { path: innerPath, settable: isSettable(inner) });
    }
    for (const [variable, found] of toVariables(inner, innerPath)) variables.set(variable, found);
  }
  return variables;
}

function isSettable(shape: Shape): boolean {
  if (shape.anyOf !== undefined) return shape.anyOf.every(isSettable);
  if (shape.type === 'array')
    return shape.items !== undefined && shape.items.type !== 'object' && isSettable(shape.items);
  return shape.type !== 'object';
}

/**
 * Overlays variables on the file's tree. Empty ones count as unset. Throws a ConfigError for a NESTOR_ variable
 * without a key, unless the file refers to it.
 */
export function overlayEnvironment(
  tree: unknown,
  shape: Shape,
  environment: Environment,
  { references, aliases, others }: VariableNames,
): unknown {
  const variables = toVariables(shape);
  let result: unknown = tree ?? {};
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('NESTOR_') || text === undefined || text === '') continue;
    if (others.includes(name) || reserved.test(name) || isServiceLink(name, text)) continue;
    const variable = variables.get(aliases[name] ?? name);
    if (variable === undefined) {
      if (references.includes(name)) continue;
      throw new ConfigError(toUnknown(name, [...variables.keys(), ...Object.keys(aliases), ...others]));
    }
    if (!variable.settable)
      throw new ConfigError(`${name}: ${variable.path.join('.')} is set in the file only`);
    const alias = aliases[name];
    if (alias !== undefined && (environment[alias] ?? '') !== '') {
      throw new ConfigError(`${name}: ${alias} is set too; allowed: one of them`);
    }
    result = setAt(result, variable.path, new VariableText(name, text));
  }
  return result;
}

function toUnknown(name: string, known: readonly string[]): string {
  const nearest = findNearest(
    name.slice('NESTOR_'.length),
    known.map((one) => one.slice('NESTOR_'.length)),
  );
  const hint =
    nearest === undefined ? 'allowed: the variables of the configuration' : `did you mean NESTOR_${nearest}?`;
  return `${name}: unknown variable; ${hint}`;
}

/** The parser refuses what is not a mapping. */
function setAt(tree: unknown, [name, ...rest]: readonly string[], value: VariableText): unknown {
  if (name === undefined) return value;
  const mapping = tree ?? {};
  if (typeof mapping !== 'object' || Array.isArray(mapping)) return tree;
  const inner: unknown = Object.hasOwn(mapping, name) ? Reflect.get(mapping, name) : undefined;
  return { ...mapping, [name]: setAt(inner, rest, value) };
}
