import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { toAnswerSentences } from '../../src/features/verification/answer-sentences.ts';
import type { Passage } from '../../src/features/verification/passages.ts';
import { Verification } from '../../src/features/verification/verifier.ts';

const kea: Passage = {
  id: 1,
  url: 'https://kea.example/',
  title: 'Kea',
  text: `# Kea

The kea (*Nestor notabilis*) is a large parrot of the forests of the South Island of New Zealand. It was described by
John Gould on 12 January 1856. A kea weighs 0.8 to 1 kg and is about 48 cm long. Keas do not migrate in winter.

The cache holds 1,500 entries for 90 seconds, and requests of more than 100 kB are refused.`,
};
const other: Passage = {
  id: 2,
  url: 'https://tui.example/',
  title: 'Tui',
  text: 'The tui sings at dawn and eats nectar.',
};

async function judge(answer: string) {
  const { signal } = new AbortController();
  const verification = new Verification(null, { account: 'acme', signal });
  const judged = await verification.judge(toAnswerSentences(answer), (id) =>
    [kea, other].filter((passage) => passage.id === id),
  );
  return judged.map((one) => one?.isSupported ?? null);
}

suite('sentences against the passages that they cite', () => {
  for (const supported of [
    'The kea is a large parrot of the forests of the South Island of New Zealand [1].',
    'A kea is about 48 centimetres long and weighs up to 1,000 g [1].',
    'John Gould described the kea on 1856-01-12 [1].',
    'It was described in January 1856 by John Gould [1].',
    'Keas don’t migrate in winter [1].',
    'The cache holds 1500 entries for 1.5 minutes [1].',
    'Requests of more than 100 kilobytes are refused [1].',
  ])
    test(`supported: ${supported}`, async () => assert.deepEqual(await judge(supported), [true]));

  for (const unsupported of [
    'A kea is about 84 cm long [1].',
    'A kea weighs 0.8 to 1 g [1].',
    'It was described by John Gould on 13 January 1856 [1].',
    'It was described by James Gould on 12 January 1856 [1].',
    'Keas migrate in winter [1].',
    'The kea is not a large parrot of the forests of the South Island of New Zealand [1].',
    'The cache holds 1,500 entries for 90 minutes [1].',
    'The kea is a large parrot of the forests of the South Island of New Zealand [2].',
    'The tui sings at dawn and eats nectar [1].',
  ])
    test(`unsupported: ${unsupported}`, async () => assert.deepEqual(await judge(unsupported), [false]));

  test('rows of tables are quotes as Nestor says them, numbers of items are no sentences, lists in code no markers', async () => {
    const text = `| Key    | Default | Meaning           |
| ------ | ------- | ----------------- |
| \`data\` | \`./data\` | Folder of the store. |
| \`port\` | \`8787\`   | Where it listens. |`;
    const verification = new Verification(null, { account: 'acme', signal: new AbortController().signal });
    const answer = `- \`data\` – Default: \`./data\`; Meaning: Folder of the store. [1]
- \`port\` – Default: \`8788\`; Meaning: Where it listens. [1]

2. \`data\` – Default: \`./data\`; Meaning: Folder of the store. [1]

\`\`\`yaml
places: [1, 1]
\`\`\``;
    const judged = await verification.judge(toAnswerSentences(answer), () => [{ ...kea, text }]);
    assert.deepEqual(
      judged.map((one) => one?.isSupported ?? null),
      [true, false, true, null],
    );
  });

  test('a sentence without a marker rests on those of the next one in its paragraph', async () => {
    const answer = 'Hello.\n\nA kea is about 84 cm long. Keas do not migrate in winter. [1]\n\n- Tuis sing.';
    assert.deepEqual(await judge(answer), [null, false, true, null]);
  });

  test('what only points to a source is not marked, and what sources do not say is not judged', async () => {
    assert.deepEqual(await judge('No sentence of the sources answers this. Closest section: Kea [1].'), [
      null,
      true,
    ]);
  });

  test('what cites nothing that is known is not judged', async () => {
    assert.deepEqual(await judge('A kea is about 84 cm long [7].'), [null]);
  });
});
