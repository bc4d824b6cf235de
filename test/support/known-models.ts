import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CuratedModel } from '../../src/features/models/curated/list.ts';
import { startHub, type HubScript, type ScriptedHub } from './hub.ts';
import { writeOnnxModel } from './onnx.ts';
import type { TestScope } from './server.ts';

const small = ['config.json', 'tokenizer.json', 'tokenizer_config.json', '1_Pooling/config.json'];
const repository = 'lab/encoder';
const revision = 'a'.repeat(40);

/** A model that the hub of `startModelHub` has; with `conditions` its licence has to be accepted. */
export function knownModel(name: string, conditions: string | null = null): CuratedModel {
  return {
    name,
    about: 'an encoder of a test',
    repository,
    revision,
    files: [...small, 'model.onnx'].map((file) => ({ file, size: null, sha256: null })),
    licence: { id: 'MIT', url: 'https://opensource.org/license/mit', conditions },
    engine: 'onnx, cosine',
  };
}

/** A hub with one model in ONNX form. */
export async function startModelHub(t: TestScope, script: Partial<HubScript> = {}): Promise<ScriptedHub> {
  const folder = await writeOnnxModel(t);
  const read = async (name: string) => [name, await readFile(join(folder, name))] as const;
  const content = await readFile(join(folder, 'model.onnx'));
  const files = Object.fromEntries(await Promise.all(small.map(read)));
  return startHub(t, { repository, revision, file: 'model.onnx', content, small: files, ...script });
}
