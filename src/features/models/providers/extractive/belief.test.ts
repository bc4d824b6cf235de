import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loadWordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { emptyRequest, type SourcePassage } from '../../model.ts';
import { openExtractiveProvider } from './index.ts';

const vectors = loadWordVectors();
/** All texts as like as most, and the reader as sure of each, so that the rest decides. */
const likenessWith = (told: ((text: string) => number) | null, cosine = 0.55) => ({
  compare: (_question: string, texts: readonly string[]) => Promise.resolve(texts.map(() => cosine)),
  read: (_question: string, texts: readonly string[]) => Promise.resolve(told && texts.map(told)),
  close: () => Promise.resolve(),
});

async function answer(
  question: string,
  sources: readonly SourcePassage[],
  told: ((text: string) => number) | null = () => 0,
  cosine?: number,
): Promise<string> {
  const likeness = likenessWith(told, cosine);
  const [offered] = openExtractiveProvider({ name: 'embedded', vectors: () => vectors, likeness }).models();
  const turns = [{ role: 'user', parts: [{ type: 'text', text: question }] }] as const;
  let text = '';
  const request = { ...emptyRequest, turns, sources };
  for await (const batch of offered?.model.stream(request, new AbortController().signal) ?? [])
    for (const event of batch) if (event.type === 'text-delta') text += event.text;
  return text;
}

const page = (id: number, title: string, text: string): SourcePassage => ({
  id,
  title,
  url: `https://x.example/${title}`,
  text,
});

const addresses = page(
  1,
  'address-reader',
  '# address-reader\n\n`address-reader` is a library that reads and writes addresses of the network.',
);
const archive = page(
  2,
  'archive-maker',
  '# archive-maker\n\nBy default, archive-maker compresses every file of an archive and keeps its date.',
);

const refusal = /^No sentence of the sources answers this question\. Closest section/;

suite('what has little of a question', () => {
  test('is named as the closest section and not stated', async () => {
    assert.match(await answer('Can address-reader look up the country of a visitor?', [addresses]), refusal);
    assert.match(
      await answer('Does web-socket compress messages by default?', [archive, addresses]),
      refusal,
    );
  });

  test('answers where it names what was asked', async () => {
    assert.match(await answer('Does address-reader write addresses?', [addresses]), /reads and writes/);
    assert.match(await answer('Does archive-maker compress files by default?', [archive]), /every file/);
  });

  test('answers what a thing is where it begins with the thing, of which every sentence has the one word', async () => {
    const unsure = () => -1;
    const keeper = page(
      4,
      'keeper',
      '# keeper\n\nKeeper is a box for letters that you build yourself.\n\nYou open keeper with a key.',
    );
    assert.match(await answer('What is keeper?', [keeper], unsure), /a box for letters/);
    assert.match(await answer('When is keeper?', [keeper], unsure), refusal);
    const opened = page(4, 'keeper', '# keeper\n\nYou open keeper with a key.');
    assert.match(await answer('What is keeper?', [opened], unsure), refusal);
  });

  test('is quoted for an order and for keywords, as a search finds it', async () => {
    assert.match(await answer('read the country of an address', [addresses]), /reads and writes/);
  });
});

suite('what the reader says', () => {
  const notes = page(
    3,
    'note-keeper',
    [
      '# note-keeper',
      '## Limits',
      'A note may have many pages, and pages may have pictures.',
      '## Storage',
      'Whatever you write down ends up in a folder named `.notes` in your home.',
    ].join('\n\n'),
  );
  const asked = 'In which directory does note-keeper put pages?';
  const ofFolder = (text: string): number => (text.includes('.notes') ? 4 : -4);

  test('finds what answers in other words', async () => {
    assert.match(await answer(asked, [notes], ofFolder), /^\*\*Storage\*\*\n\nWhatever you write down/);
  });

  test('leaves what is near unsaid where nothing answers, also for keywords', async () => {
    assert.match(await answer(asked, [notes], () => -4), refusal);
    const keywords = 'read the country of an address';
    assert.match(await answer(keywords, [addresses], () => -4), refusal);
    assert.match(await answer(keywords, [addresses], () => -1), /reads and writes/);
  });

  test('denies what stands below a heading that asks hardly more than the name', async () => {
    const text = '# note-keeper\n\n## What is note-keeper?\n\nIt makes a folder tidy by itself.';
    const source = page(3, 'note-keeper', text);
    const terms = 'Under which terms may note-keeper be sold?';
    assert.match(await answer(terms, [source], () => -3.5, 0.8), refusal);
    assert.match(await answer(terms, [source], () => -1, 0.8), /makes a folder tidy/);
    assert.match(await answer(terms, [source], () => -3.5, 0.88), /makes a folder tidy/);
  });

  test('is done without where it does not come in time', async () => {
    assert.match(await answer('Can a note have many pages?', [notes], null), /many pages/);
  });
});

test('a row of marks answers by the names of its columns', async () => {
  const table = [
    '# graph-runner',
    '## Compatibility',
    '| Backend | Chrome | Firefox | Safari |',
    '| - | - | - | - |',
    '| WebGPU | ✔️<sup>\\[2]</sup> | ❌ | ❌ |',
    '| WebGL | ✔️ | ✔️ | ✔️ |',
  ].join('\n');
  const said = await answer('Can I use WebGPU in Firefox with graph-runner?', [
    page(1, 'graph-runner', table),
  ]);
  assert.match(said, /WebGPU – Chrome: ✔️; Firefox: ❌/);
});

suite('a question that names no page', () => {
  const about = (title: string, text: string, id: number): SourcePassage =>
    page(id, title, `# ${title}\n\n${text}`);
  const closing = 'Closing waits until what was begun is done, for ten seconds at most.';
  const others = ['A batch has a thousand rows at most.', 'Colours are numbers from zero to one.'];
  const from = (...titles: readonly string[]) =>
    titles.map((title, at) => about(title, [closing, ...others][at] ?? '', at + 1));
  const asked = 'How long does closing take?';

  test('asks for a page of a site about one thing', async () => {
    const said = await answer(asked, from('Shutting down', 'Large batches', 'Charts'), () => 0);
    assert.match(said, /ten seconds at most/);
  });

  test('asks for none of a site whose pages are about a thing each', async () => {
    const sources = from('pino-roll', 'p-queue', 'undici');
    assert.match(await answer(asked, sources, () => 0.5), refusal);
    const named = await answer('How long does closing take with pino-roll?', sources, () => 0.5);
    assert.match(named, /ten seconds at most/);
  });
});
