import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { loadWordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { emptyRequest, type SourcePassage } from '../../model.ts';
import { namedFirst } from './by-name.ts';
import { openExtractiveProvider } from './index.ts';
import { toLiterals } from './literals.ts';

const vectors = loadWordVectors();
const [offered] = openExtractiveProvider({ name: 'embedded', vectors: () => vectors }).models();

async function answer(question: string, text: string, title = 'Nest boxes'): Promise<string> {
  const turns = [{ role: 'user', parts: [{ type: 'text', text: question }] }] as const;
  const sources = [{ id: 1, title, url: 'https://x.example/boxes', text }];
  let said = '';
  const request = { ...emptyRequest, turns, sources };
  for await (const batch of offered?.model.stream(request, new AbortController().signal) ?? [])
    for (const event of batch) if (event.type === 'text-delta') said += event.text;
  return said;
}

const source = (id: number, title: string, url: string): SourcePassage => ({ id, title, url, text: '' });
const isRefused = (text: string): boolean => text.startsWith('No sentence of the sources');

suite('what a question names', () => {
  const sources = [
    source(1, '@fastify/forwarded', 'https://x.example/@fastify/forwarded'),
    source(2, 'Table of contents', 'https://x.example/fastify/README.md'),
    source(3, 'send', 'https://x.example/send'),
  ];
  const first = (question: string) => namedFirst(question, sources, vectors)[0]?.id;

  test('is a source by the end of its address, where that is no English word', () => {
    assert.equal(first('Which logger does Fastify use?'), 2);
    assert.equal(first('How do I send a file?'), 1);
  });

  test('is no source of which it is a part', () => {
    assert.equal(first('What does @fastify/forwarded return?'), 1);
  });

  test('as code is looked for word for word, names of sources and sentences apart', () => {
    assert.deepEqual(toLiterals('parse a.b=c as an object', []), ['a.b=c']);
    assert.deepEqual(toLiterals('What does the mask N stand for?', []), ['`N`']);
    assert.deepEqual(toLiterals('What is --force-all?', []), ['--force-all']);
    assert.deepEqual(toLiterals('Who wrote ipaddr.js?', [source(1, 'ipaddr.js', '')]), []);
    assert.deepEqual(toLiterals('NESTOR_CONFIG', []), []);
    assert.deepEqual(toLiterals('How long is a kea, i.e. a parrot?', []), []);
  });
});

suite('what tells a person, a count and a standard', () => {
  test('a label with a name', async () => {
    const text =
      'A library of boxes for nests.\n\nLead Maintainer: Brian White\n\nBoxes are made of wood by machines.';
    assert.match(await answer('Who maintains nest boxes?', text), /^Lead Maintainer: Brian White \[1\]/);
  });

  test('no name of a language', async () => {
    const text =
      'The class of nest boxes has an API like that of a JavaScript Map, and is designed to be small.';
    assert.ok(isRefused(await answer('Who designed the API of nest boxes?', text)));
  });

  test('no number of a name', async () => {
    const text = 'Nest boxes fully comply to RFC 3492 and RFC 5891.';
    assert.ok(isRefused(await answer('How many people work on nest boxes?', text)));
  });

  test('a standard by its number', async () => {
    const text = 'The codes of nest boxes are those of ISO 639-1, with a prefix for each country.';
    assert.match(await answer('Which standard do the codes of nest boxes come from?', text), /ISO 639-1/);
  });
});
