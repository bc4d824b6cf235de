import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loadWordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { emptyRequest, type SourcePassage } from '../../model.ts';
import { openExtractiveProvider } from './index.ts';

const vectors = loadWordVectors();

const pages: readonly SourcePassage[] = [
  {
    id: 1,
    title: 'Opening the shop',
    url: 'https://x.example/opening',
    text: '# Opening the shop\n\nThe shop opens at nine. A card with the hours hangs on the door of the shop.',
  },
  {
    id: 2,
    title: 'Questions',
    url: 'https://x.example/questions',
    text:
      '# Questions\n\n## May I pay by card?\n\nYes. Any card is taken from five euros on.\n\n' +
      '## Is there parking?\n\nYes. Behind the house there is room for ten cars. Turn left at the fountain.',
  },
];

/** The encoder would say so: one heading asks the same, and nothing else is like anything. */
async function answer(question: string, same: string, cosine: number): Promise<string> {
  const likeness = {
    compare: (_question: string, texts: readonly string[]) =>
      Promise.resolve(texts.map((text) => (text === same ? cosine : 0.2))),
    read: (_question: string, texts: readonly string[]) => Promise.resolve(texts.map(() => -1)),
    close: () => Promise.resolve(),
  };
  const [offered] = openExtractiveProvider({ name: 'embedded', vectors: () => vectors, likeness }).models();
  const turns = [{ role: 'user', parts: [{ type: 'text', text: question }] }] as const;
  const request = { ...emptyRequest, turns, sources: pages };
  let text = '';
  for await (const batch of offered?.model.stream(request, new AbortController().signal) ?? [])
    for (const event of batch) if (event.type === 'text-delta') text += event.text;
  return text;
}

suite('a heading that asks what is asked', () => {
  test('has its answer below it, in other words and from its beginning', async () => {
    assert.match(
      await answer('Can I leave my vehicle somewhere?', 'Is there parking?', 0.8),
      /^\*\*Is there parking\?\*\*\n\nYes\. \[2\] Behind the house there is room for ten cars\. \[2\]/,
    );
  });

  test('that is only about the same thing answers nothing', async () => {
    assert.match(await answer('Who built the car park?', 'Is there parking?', 0.55), /^No sentence/);
  });

  test('is not looked for where nothing is asked', async () => {
    assert.doesNotMatch(await answer('vehicle', 'Is there parking?', 0.95), /ten cars/);
  });
});
