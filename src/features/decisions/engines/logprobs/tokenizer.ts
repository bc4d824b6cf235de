import { labelTexts, letterLabels, type Label } from './labels.ts';
import { field, listOf } from './response.ts';
import type { Server } from './server.ts';

/** Form of a request to the tokenizer of a server. */
export type TokenizeForm = 'llama-server' | 'prompt';

/**
 * The labels that are one token each, by the server's own tokenizer: two requests, one with the labels on a line
 * each and one with a space in front. Letters without ids when the server does not answer.
 */
export async function findLabels(server: Server, form: TokenizeForm): Promise<readonly Label[]> {
  const [plain, spaced] = [await tokenizeLines(server, form, ''), await tokenizeLines(server, form, ' ')];
  if (plain === null) return letterLabels;
  const taken = new Set<number>();
  const labels = labelTexts.flatMap((text, index) => {
    const single = [plain[index], spaced?.[index]].flatMap((ids) => (ids?.length === 1 ? ids : []));
    const ids = [...new Set(single)];
    // Answers begin with the label without a space, so that one has to be a single token.
    if (plain[index]?.length !== 1 || ids.some((id) => taken.has(id))) return [];
    for (const id of ids) taken.add(id);
    return [{ text, ids }];
  });
  return labels.length >= letterLabels.length ? labels : letterLabels;
}

/** Token ids of each line; null when the server's answer cannot be cut at the line breaks. */
async function tokenizeLines(server: Server, form: TokenizeForm, space: string): Promise<number[][] | null> {
  // A line break in front too, because tokenizers that put a space before a text would change the first label.
  const text = labelTexts.map((label) => `\n${space}${label}`).join('');
  const body =
    form === 'llama-server'
      ? { content: text, add_special: false, parse_special: false }
      : { model: server.model, prompt: text, add_special_tokens: false };
  const outcome = await server.askRoot('/tokenize', body);
  if (!outcome.ok) return null;
  const ids = listOf(field(outcome.body, 'tokens')).filter((id) => typeof id === 'number');
  const lineBreak = mostFrequent(ids);
  const lines: number[][] = [];
  for (const id of ids) {
    if (id === lineBreak) lines.push([]);
    else lines.at(-1)?.push(id);
  }
  return lines.length === labelTexts.length ? lines : null;
}

function mostFrequent(ids: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].reduce<[number, number] | undefined>(
    (best, entry) => (best === undefined || entry[1] > best[1] ? entry : best),
    undefined,
  )?.[0];
}
