import { listAt } from '../../../../kernel/kit/json-path.ts';
import { labelTexts } from '../../question-prompt.ts';
import { letterLabels, type Label } from './labels.ts';
import type { Server } from './server.ts';

/**
 * The labels that are one token each, by the server's own tokenizer: two requests, one with the labels on a line
 * each and one with a space in front. Letters without ids when the server does not answer.
 */
export async function findLabels(server: Server, isLlamaServer: boolean): Promise<readonly Label[]> {
  const plain = await tokenizeLines(server, isLlamaServer, '');
  const spaced = await tokenizeLines(server, isLlamaServer, ' ');
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
async function tokenizeLines(server: Server, isLlamaServer: boolean, space: string) {
  // A line break in front too, because tokenizers that put a space before a text would change the first label.
  const text = labelTexts.map((label) => `\n${space}${label}`).join('');
  const body = isLlamaServer
    ? { content: text, add_special: false, parse_special: false }
    : { model: server.model, prompt: text, add_special_tokens: false };
  const outcome = await server.ask('/tokenize', body);
  if (!outcome.ok) return null;
  const ids = listAt(outcome.body, 'tokens').filter((id) => typeof id === 'number');
  const lineBreak = mostFrequent(ids);
  const lines: number[][] = [];
  for (const id of ids) {
    if (id === lineBreak) lines.push([]);
    else lines.at(-1)?.push(id);
  }
  return lines.length === labelTexts.length ? lines : null;
}

/** Of equally frequent ones the first. */
function mostFrequent(ids: readonly number[]): number | undefined {
  const counts = Map.groupBy(ids, (id) => id)
    .entries()
    .map(([id, same]) => ({ id, count: same.length }));
  return [...counts].toSorted((a, b) => b.count - a.count)[0]?.id;
}
