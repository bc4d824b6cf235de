import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createAccountTexts } from '../../src/features/index/account-texts.ts';
import type { DocumentMaker } from '../../src/features/index/to-document.ts';
import { refreshSource } from '../../src/features/index/refresh.ts';
import { toSource } from '../../src/features/index/source.ts';
import { textsSource } from '../../src/features/index/texts.ts';
import type { TestScope } from '../support/server.ts';
import { passagesPerDocument } from '../../src/kernel/store/index-documents.ts';
import { openTestIndex } from './index-support.ts';

const account = 'acme';
const noSignal = new AbortController().signal;

/** Holds who passes until it is opened. */
function gate() {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    reached: reached.promise,
    open: opened.resolve,
    pass(this: void) {
      reached.resolve();
      return opened.promise;
    },
  };
}

const after =
  (work: DocumentMaker['split'], hold: () => Promise<void>): DocumentMaker['split'] =>
  async (...given) => {
    const result = await work(...given);
    await hold();
    return result;
  };

async function openTexts(t: TestScope) {
  const { parts } = await openTestIndex(t);
  const source = toSource(await parts.sources.ensure(textsSource(account, Date.now())));
  const texts = createAccountTexts(parts, () => Promise.resolve());
  return {
    parts,
    source,
    texts,
    put: (name: string, text: string) =>
      texts.put(account, { url: `https://docs.example/${name}`, text }, noSignal),
    /** What the index holds of each document, by the end of its address. */
    async held(this: void) {
      const urls = ['replaced', 'gone', 'stays', 'late'].map((name) => `https://docs.example/${name}`);
      const heads = await parts.corpus.heads(source.id, urls);
      const found = await Promise.all(
        [...heads.values()].map(async ({ id, url }) => {
          const [passage] = await parts.corpus.readPassages([id * passagesPerDocument]);
          return [url.split('/').at(-1) ?? '', passage?.text] as const;
        }),
      );
      return Object.fromEntries(found);
    },
  };
}

suite('what an account sends while its texts are read', () => {
  test('is not lost, not taken back and does not come again', async (t) => {
    const { parts, source, texts, put, held } = await openTexts(t);
    await put('replaced', 'The heron is blue.');
    const gone = await put('gone', 'The heron is green.');
    await put('stays', 'The heron is red.');
    // It is split before the refresh begins, and stored when that has seen the last of them.
    const sending = gate();
    const late = createAccountTexts(
      {
        ...parts,
        maker: { ...parts.maker, split: after((...given) => parts.maker.split(...given), sending.pass) },
      },
      () => Promise.resolve(),
    ).put(account, { url: 'https://docs.example/late', text: 'The heron is white.' }, noSignal);
    await sending.reached;
    const [making, last] = [gate(), gate()];
    const maker = {
      ...parts.maker,
      toDocument: after((...given) => parts.maker.toDocument(...given), making.pass),
    };
    const heads = parts.texts.heads.bind(parts.texts);
    parts.texts.heads = async (...given) => {
      const rows = await heads(...given);
      if (rows.length === 0) await last.pass();
      return rows;
    };
    const refreshed = refreshSource({ ...parts, maker, embeddedBy: 'another' }, source, noSignal);
    await making.reached;
    await put('replaced', 'The heron is grey.');
    await texts.remove(account, gone.text.id);
    making.open();
    await last.reached;
    sending.open();
    await late;
    last.open();
    assert.equal((await refreshed)?.failed, 0);
    assert.deepEqual(await held(), {
      replaced: 'The heron is grey.',
      stays: 'The heron is red.',
      late: 'The heron is white.',
    });
    const row = await parts.sources.find(source.id);
    assert.ok(row?.dueAtMs !== null, 'those that were sent meanwhile have another turn');
  });
});
