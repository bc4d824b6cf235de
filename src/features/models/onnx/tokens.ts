import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHubTokenizer } from './library.ts';
import { OnnxProblem, readSettings } from './model-folder.ts';

/** What a row is made of: a text, or two that the model reads one after the other. */
export interface RowText {
  readonly text: string;
  readonly pair: string | null;
}

/** Tokens as a model reads them, with those that open and end them, and to which of two texts each belongs. */
export interface Row {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

export type Tokenize = (row: RowText) => Row;

/** Reads tokenizer.json. What looks like a control token in a text stays text. Throws OnnxProblem. */
export async function openTokenizer(folder: string): Promise<Tokenize> {
  const settings = (await readSettings(folder, 'tokenizer_config.json')) ?? {};
  const tokenizer = await createTokenizer(await readFile(join(folder, 'tokenizer.json'), 'utf8'), settings);
  const controls = [...tokenizer.get_added_tokens_decoder().values()]
    .filter(({ special, content }) => special && content.length > 1)
    .map(({ content }) => content);
  return ({ text, pair }) => {
    const { ids, token_type_ids: types } = tokenizer.encode(breakControls(text, controls), {
      text_pair: pair === null ? null : breakControls(pair, controls),
      return_token_type_ids: true,
    });
    return { ids, types: types ?? ids.map(() => 0) };
  };
}

async function createTokenizer(json: string, settings: object) {
  try {
    return await createHubTokenizer(JSON.parse(json) as object, settings);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OnnxProblem(`tokenizer.json cannot be used: ${reason.replaceAll(/\s+/g, ' ')}`);
  }
}

/** Puts a blank behind the first character of each control token. */
function breakControls(text: string, controls: readonly string[]): string {
  return controls.reduce((result, token) => {
    if (!result.includes(token)) return result;
    const [first = ''] = token;
    return result.replaceAll(token, () => `${first} ${token.slice(first.length)}`);
  }, text);
}
