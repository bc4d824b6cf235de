import { resolve, sep } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { findModelFolder } from '../onnx/model-folder.ts';
import { findChatFile, findDecidingFile } from '../providers/local/chat-file.ts';
import { findEmbeddingFile } from '../providers/local/engine.ts';

/** A key of the configuration that uses a model. */
export interface Use {
  readonly key: string;
  readonly path: string;
  /** The key names the path; otherwise the model was found in the data folder. */
  readonly isNamed: boolean;
}

/** Every file and folder that a server on this configuration opens. */
export async function findUses(config: Config): Promise<readonly Use[]> {
  const named = namedPaths(config).map(([key, path]) => ({ key, path: resolve(path), isNamed: true }));
  const found = await Promise.all(
    foundBy(config).map(async ([key, find]) => ({
      key,
      path: await find(config.dataFolder),
      isNamed: false,
    })),
  );
  return [...named, ...found.flatMap(({ path, ...use }) => (path === null ? [] : [{ ...use, path }]))];
}

/** Whether it is the model, or lies in it. */
export const isUseOf =
  (model: string) =>
  ({ path }: Use): boolean =>
    path === resolve(model) || path.startsWith(`${resolve(model)}${sep}`);

function namedPaths({ decisions, embeddings, providers }: Config): readonly (readonly [string, string])[] {
  const all: readonly (readonly [string, string | null | undefined])[] = [
    ['decisions.path', decisions.path],
    ...decisions.compare.map(({ name, path }) => [`decisions.compare ${name}`, path] as const),
    ['embeddings.path', embeddings.path],
    ...providers.map(({ name, path }) => [`providers ${name}`, path] as const),
  ];
  return all.flatMap(([key, path]) => (path === null || path === undefined ? [] : [[key, path]]));
}

type Find = (dataFolder: string) => Promise<string | null>;

/** What looks into the data folder because its key names no path. */
function foundBy({ decisions, embeddings, providers, detect }: Config): readonly (readonly [string, Find])[] {
  const finders: Readonly<Record<string, Find>> = { local: findDecidingFile, onnx: findModelFolder };
  const isLocal = providers.some(({ type }) => type === 'local');
  // auto takes a GGUF file that is found, and an upstream before it.
  const chosen = decisions.engine === 'auto' && decisions.upstreams.length === 0 ? 'local' : decisions.engine;
  const decides = decisions.path === null && !isLocal ? finders[chosen] : undefined;
  const embeds: Readonly<Record<string, Find>> = { ...finders, local: findEmbeddingFile };
  const all: readonly (readonly [string, Find | undefined])[] = [
    ['decisions', decides],
    ...decisions.compare.map(
      ({ name, path, engine }) =>
        [`decisions.compare ${name}`, path === null ? finders[engine] : undefined] as const,
    ),
    ['embeddings', embeddings.path === null ? embeds[embeddings.engine] : undefined],
    ['models', providers.length === 0 && detect ? findChatFile : undefined],
  ];
  return all.flatMap(([key, find]) => (find === undefined ? [] : [[key, find]]));
}
