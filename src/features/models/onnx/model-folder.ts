import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { formOf, type Form } from './forms.ts';
import { OnnxProblem } from './problem.ts';

/** How the vectors of the tokens become one. */
export type Pooling = 'mean' | 'first' | 'last';

/** A model in ONNX form, as the files beside its graph describe it. */
export interface ModelFolder {
  /** Where the files lie that describe it. */
  readonly folder: string;
  /** Where the tokenizer lies. */
  readonly tokenizer: string;
  /** The graph. */
  readonly path: string;
  /** The second graph, of a model that encodes state and options by themselves; null where there is one. */
  readonly scorer: string | null;
  /** Folder of the reader of questions that stands on the encoder's embeddings; null where there is none. */
  readonly reader: string | null;
  /** What its own settings file says, else config.json. */
  readonly settings: JsonObject;
  /** What the settings say of how it is asked; null where they do not. */
  readonly form: Form | null;
  /** Null where no file says it, as with classifiers. */
  readonly pooling: Pooling | null;
  /** Vectors have the length 1. */
  readonly normalizes: boolean;
  /**
   * Rows of one length may be evaluated together and give the same bytes as alone: its own settings say so, or it was seen
   * when the model was tried. Usual models in 8 bits do not: they scale what goes through a layer by the largest number in
   * any row.
   */
  readonly evaluatesTogether: boolean;
  /** Most tokens of a row, with those that open and end it. */
  readonly tokensMax: number;
  /** What is put before a text: any text, a question, and what may answer it. */
  readonly prompts: Readonly<Record<'text' | 'query' | 'document', string>>;
  /** What the outputs of a classifier stand for, in order. */
  readonly labels: readonly string[];
}

/** Attention over a row of n tokens takes n * n numbers per head, of which a few thousand fit WebAssembly's memory. */
const rowTokensMax = 2_048;
const defaultTokensMax = 512;
/** Settings are some kilobytes. Unit: bytes. */
const settingsBytesMax = 4_194_304;

/** Settings of decision models, which say more than config.json; the first that is there counts. */
const ownSettings = ['decima.json', 'rl_agent_config.json'];
const scorerName = 'scorer.onnx';

/** Reads what describes a model: its folder, or a graph in it or in its folder `onnx`. Throws OnnxProblem. */
export async function readModelFolder(path: string): Promise<ModelFolder> {
  const graph = await findGraph(path);
  const [folder, tokenizer] = await findFolder(graph);
  const [config, own, tokenizing, modules, pooling, prompting] = await Promise.all([
    readSettings(folder, 'config.json'),
    readFirst(folder, ownSettings),
    readSettings(tokenizer, 'tokenizer_config.json'),
    readSettings(folder, 'modules.json'),
    readPooling(folder),
    readSettings(folder, 'config_sentence_transformers.json'),
  ]);
  const settings = own ?? config;
  if (settings === null) throw new OnnxProblem(`config.json is missing in ${folder}`);
  const form = formOf(settings);
  return {
    folder,
    tokenizer,
    path: graph,
    scorer: form?.kind === 'late' ? await findScorer(graph) : null,
    reader: await findReader(folder),
    settings,
    form,
    pooling,
    normalizes: JSON.stringify(modules).includes('sentence_transformers.models.Normalize'),
    evaluatesTogether: config?.['rows_together'] === true,
    tokensMax: Math.min(
      rowTokensMax,
      positionsOf(config ?? {}, own),
      countOf(tokenizing?.['model_max_length']),
    ),
    prompts: promptsOf(prompting ?? {}),
    labels: labelsOf(config ?? {}),
  };
}

/** Folders of models by name in a folder and its folder `models`, that folder itself included; the first is taken. */
export async function findModelFolder(folder: string): Promise<string | null> {
  for (const place of [folder, join(folder, 'models')]) {
    const names: readonly string[] = await readdir(place).catch(() => []);
    for (const candidate of [place, ...names.toSorted().map((name) => join(place, name))]) {
      const isFolder = (await stat(candidate).catch(() => null))?.isDirectory() === true;
      if (isFolder && (await isModelFolder(candidate))) return candidate;
    }
  }
  return null;
}

async function isModelFolder(folder: string): Promise<boolean> {
  try {
    await readModelFolder(folder);
    return true;
  } catch (error) {
    if (error instanceof OnnxProblem) return false;
    throw error;
  }
}

async function findGraph(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new OnnxProblem('there is no such file or folder');
  if (!found.isDirectory()) return path;
  const graphs = [...(await graphsIn(path)), ...(await graphsIn(join(path, 'onnx')))].filter(
    (graph, _, all) => basename(graph) !== scorerName || all.length === 1,
  );
  const [graph, ...others] = graphs;
  if (graph === undefined) throw new OnnxProblem('no graph lies in it: a file that ends in .onnx is missing');
  if (others.length > 0) {
    const names = graphs.map((one) => basename(one)).join(', ');
    throw new OnnxProblem(`it holds several graphs (${names}); name the file`);
  }
  return graph;
}

async function graphsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.onnx'))
    .toSorted()
    .map((name) => join(folder, name));
}

/** The folder of the settings, that of the graph or the one above its folder `onnx`, and that of the tokenizer. */
async function findFolder(graph: string): Promise<readonly [string, string]> {
  const own = dirname(graph);
  for (const folder of basename(own) === 'onnx' ? [own, dirname(own)] : [own])
    for (const inner of [folder, join(folder, 'tokenizer')])
      if ((await stat(join(inner, 'tokenizer.json')).catch(() => null)) !== null) return [folder, inner];
  throw new OnnxProblem(`tokenizer.json is missing in ${own}`);
}

async function findScorer(graph: string): Promise<string> {
  const scorer = join(dirname(graph), scorerName);
  if ((await stat(scorer).catch(() => null)) !== null) return scorer;
  throw new OnnxProblem(`${scorerName} is missing in ${dirname(graph)}`);
}

async function findReader(folder: string): Promise<string | null> {
  const reader = join(folder, 'reader');
  return (await stat(join(reader, 'reader.onnx')).catch(() => null)) === null ? null : reader;
}

async function readFirst(folder: string, names: readonly string[]): Promise<JsonObject | null> {
  const found = await Promise.all(names.map((name) => readSettings(folder, name)));
  return found.find((settings) => settings !== null) ?? null;
}

/** Null where the file is absent. Throws OnnxProblem. */
export async function readSettings(folder: string, name: string): Promise<JsonObject | null> {
  const path = join(folder, name);
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if (found.size > settingsBytesMax) throw new OnnxProblem(`${name} has ${found.size} bytes`);
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null) return parsed as JsonObject;
  } catch {
    // Said below.
  }
  throw new OnnxProblem(`${name} is no JSON object`);
}

const poolings = [
  ['pooling_mode_mean_tokens', 'mean'],
  ['pooling_mode_cls_token', 'first'],
  ['pooling_mode_lasttoken', 'last'],
] as const;

/** As sentence-transformers write it down; null where they did not. Throws OnnxProblem for another than those above. */
async function readPooling(folder: string): Promise<Pooling | null> {
  const settings = await readSettings(folder, join('1_Pooling', 'config.json'));
  if (settings === null) return null;
  const modes = Object.keys(settings).filter(
    (name) => name.startsWith('pooling_mode_') && settings[name] === true,
  );
  const known = poolings.find(([name]) => modes.length === 1 && modes[0] === name);
  if (known === undefined)
    throw new OnnxProblem(`1_Pooling/config.json has a pooling that is not known here`);
  return known[1];
}

/** Models whose positions begin behind that of the padding. */
const shifted = new Set(['roberta', 'xlm-roberta', 'xlm-roberta-xl', 'camembert', 'mpnet', 'longformer']);

function positionsOf(model: JsonObject, own: JsonObject | null): number {
  if (own !== null) return countOf(own['max_len']);
  const config = isJsonObject(model['encoder_config']) ? model['encoder_config'] : model;
  const positions = countOf(config['max_position_embeddings'], defaultTokensMax);
  const type = config['model_type'];
  if (typeof type !== 'string' || !shifted.has(type)) return positions;
  return positions - countOf(config['pad_token_id'], 1) - 1;
}

/** Tokenizers without a limit of their own name an enormous one. */
function countOf(value: unknown, otherwise = Number.MAX_SAFE_INTEGER): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : otherwise;
}

function promptsOf(settings: JsonObject): ModelFolder['prompts'] {
  const prompts = isJsonObject(settings['prompts']) ? settings['prompts'] : {};
  const named = (name: unknown) => {
    const prompt = typeof name === 'string' ? prompts[name] : undefined;
    return typeof prompt === 'string' ? prompt : undefined;
  };
  const text = named(settings['default_prompt_name']) ?? '';
  return {
    text,
    query: named('query') ?? text,
    document: named('document') ?? named('passage') ?? text,
  };
}

function labelsOf({ id2label: labels }: JsonObject): readonly string[] {
  if (!isJsonObject(labels)) return [];
  return Object.entries(labels)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, label]) => (typeof label === 'string' ? label : JSON.stringify(label)));
}
