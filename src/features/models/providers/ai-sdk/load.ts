import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';

/** A model that a provider package makes. Both generations stream the same parts; their requests differ. */
export type LanguageModel = LanguageModelV3 | LanguageModelV4;

interface FactorySettings {
  readonly name: string;
  readonly apiKey?: string;
  readonly baseURL?: string;
  /** Read by packages for servers that speak one interface at any address, which call it so. */
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
}

export type CreateModel = (name: string) => LanguageModel;

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * Loads a provider package from the first of these folders whose `node_modules`, or that of a folder above it, has it,
 * else from Nestor's own, and calls its factory. Throws an Error for the operator, who has to change something: the
 * package is absent, it is no provider, or it speaks another version of the interface.
 */
export async function loadPackage(
  name: string,
  folders: readonly string[],
  settings: FactorySettings,
): Promise<CreateModel> {
  if (!packageName.test(name)) throw new Error(`"${name}" is not the name of an npm package`);
  const entry = await findEntry(name, folders);
  if (entry === null) throw new Error(`the package ${name} is not installed: run "npm install ${name}"`);
  const found = findFactory(name, (await import(entry)) as Readonly<Record<string, unknown>>);
  if (found === null)
    throw new Error(`the package ${name} has no create… function: it is no AI SDK provider`);
  const provider: unknown = found(settings);
  return (model) => toLanguageModel(name, isRecord(provider) ? create(provider, model) : null);
}

async function findEntry(name: string, folders: readonly string[]): Promise<string | null> {
  // A file in the folder that need not exist: the search begins beside it.
  const bases = folders.map((folder) => pathToFileURL(path.join(path.resolve(folder), 'package.json')));
  for (const base of [...bases, import.meta.url]) {
    const manifest = manifestOf(name, base);
    if (manifest === null) continue;
    const entry = entryOf(JSON.parse(await readFile(manifest, 'utf8')) as Readonly<Record<string, unknown>>);
    return pathToFileURL(path.join(path.dirname(manifest), entry)).href;
  }
  return null;
}

function manifestOf(name: string, base: string | URL): string | null {
  try {
    return findPackageJSON(name, base) ?? null;
  } catch {
    return null;
  }
}

/** `require.resolve` would refuse a package that exports to `import` alone, so its exports are read here. */
function entryOf({ exports: all, module, main }: Readonly<Record<string, unknown>>): string {
  const root = isRecord(all) && '.' in all ? all['.'] : all;
  return pick(root) ?? pick(module) ?? pick(main) ?? 'index.js';
}

function pick(target: unknown): string | null {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return target.map(pick).find((entry) => entry !== null) ?? null;
  if (!isRecord(target)) return null;
  // Conditions in the order of the package, as Node reads them.
  const known = Object.keys(target).filter((key) =>
    ['node', 'import', 'module-sync', 'default'].includes(key),
  );
  return known.map((key) => pick(target[key])).find((entry) => entry !== null) ?? null;
}

type Factory = (settings: FactorySettings) => unknown;

/** `createMistral` of `@ai-sdk/mistral`; of several the one whose name is nearest to the package's. */
function findFactory(name: string, exported: Readonly<Record<string, unknown>>): Factory | null {
  const wanted = plain(name.split('/').at(-1) ?? name);
  const distance = (key: string) => {
    const made = plain(key.slice('create'.length));
    if (made === wanted) return 0;
    return (wanted.includes(made) || made.includes(wanted) ? 1_000 : 2_000) + key.length;
  };
  const names = Object.keys(exported).filter(
    (key) => /^create[A-Z]/.test(key) && typeof exported[key] === 'function',
  );
  const [nearest] = names.toSorted((a, b) => distance(a) - distance(b));
  return nearest === undefined ? null : (exported[nearest] as Factory);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function create(provider: Readonly<Record<string, unknown>>, model: string): unknown {
  type Create = (name: string) => unknown;
  if (typeof provider['languageModel'] === 'function')
    return (provider as { languageModel: Create }).languageModel(model);
  return typeof provider === 'function' ? (provider as Create)(model) : null;
}

function toLanguageModel(name: string, made: unknown): LanguageModel {
  const version = isRecord(made) ? made['specificationVersion'] : undefined;
  if (isRecord(made) && typeof made['doStream'] === 'function' && (version === 'v3' || version === 'v4')) {
    return made as unknown as LanguageModel;
  }
  const found = typeof version === 'string' ? `version ${version} of the interface` : 'no language model';
  throw new Error(`the package ${name} makes ${found}; versions v3 and v4 are understood`);
}

/** Providers are functions with properties as often as objects. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}
