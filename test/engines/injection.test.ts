import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { DecisionEngine, Distribution } from '../../src/features/decisions/engine.ts';
import { openEncoderEngine } from '../../src/features/decisions/engines/encoder/index.ts';
import { learn } from '../../src/features/decisions/learning/learn.ts';
import { withLearned } from '../../src/features/decisions/learning/with-learned.ts';
import { questionKey } from '../../src/features/decisions/policy.ts';
import { createPrompts } from '../../src/features/decisions/engines/local/prompts.ts';
import { openWordsEngine } from '../../src/features/decisions/engines/words/index.ts';
import { openOnnxModel } from '../../src/features/models/feature.ts';
import { openLocalModel } from '../../src/features/models/providers/local/engine.ts';
import { choiceOf } from '../support/asked.ts';
import { holdEncoder } from '../support/held-encoder.ts';
import { keepVectors } from '../support/kept-vectors.ts';
import { queueMessages } from '../support/queues.ts';
import { field, nothing, textState } from '../support/upstream-checks.ts';
import { vllmHandler } from '../support/upstream-local-servers.ts';
import { logprobsWith } from '../support/upstream-logprobs.ts';
import { openAiHandler } from '../support/upstream-openai.ts';
import { systemOneHandler, systemOneWith } from '../support/upstream-systemone.ts';
import { miniLm, skipsWeights, smolLm2 } from '../support/weights.ts';
import { variationsOf } from '../support/rounds.ts';
import { forgedTurns, injections, plainOrders, saidOf, targets, type Target } from './injections.fixture.ts';

const { signal } = new AbortController();
const { open: openEncoder, keep } = keepVectors(holdEncoder());
after(keep);

/** Every text with everything of a kind that is written behind it. */
function attacksWith(kind: typeof injections, toText: (text: string) => string = (text) => text) {
  return targets.flatMap((target) =>
    Object.entries(kind).map(([name, inject]) => ({
      name,
      target,
      text: joined(
        toText(target.text),
        inject(saidOf(target), target.question.question || 'Which one is it?'),
      ),
    })),
  );
}

const joined = (text: string, injected: string) =>
  /^[\s,]/u.test(injected) ? text + injected : `${text} ${injected}`;

const attacks = attacksWith(injections);
/** A last sentence that has no end, of which the order then seems to be a part. */
const withoutEnd = (text: string) => text.replace(/[.!?]+$/u, '');
const runOn = attacksWith(injections, withoutEnd);
const turns = [...attacksWith(forgedTurns), ...attacksWith(forgedTurns, withoutEnd)];
const plain = [
  ...attacksWith(plainOrders, withoutEnd),
  ...attacksWith(plainOrders, (text) => withoutEnd(text).toLowerCase()),
];

/** For what reads the state in a frame: every form once for each text. */
const everything = [...attacks, ...attacksWith(forgedTurns), ...attacksWith(plainOrders, withoutEnd)];

const shipped: Readonly<Record<string, () => Promise<DecisionEngine>>> = {
  words: () => openWordsEngine(),
  encoder: () => openEncoderEngine({ openEncoder, isAuto: false }),
};

for (const [name, open] of Object.entries(shipped))
  suite(`what is written into a state, ${name}`, async () => {
    const engine = await open();
    after(() => engine.close());
    const answer = async ({ question }: Target, text: string): Promise<string> => {
      const [found = []]: readonly Distribution[] = await engine.score(textState(text), [question], signal);
      return question.options[found.indexOf(Math.max(...found))]?.name ?? '';
    };

    test('does not get the answer that it asks for', async () => {
      assert.ok(attacks.length >= 60);
      const unwanted = new Set<Target>();
      for (const target of targets)
        if ((await answer(target, target.text)) !== target.wanted) unwanted.add(target);
      const steered: string[] = [];
      const all = [...attacks, ...runOn, ...turns, ...plain];
      const some = [...attacks, ...variationsOf(runOn, 7), ...variationsOf([...turns, ...plain], 19)];
      for (const { target, text } of name === 'words' ? all : some) {
        if (!unwanted.has(target)) continue;
        if ((await answer(target, text)) === target.wanted) steered.push(text);
      }
      assert.deepEqual(steered, []);
    });

    test('leaves the matter itself where it was', async () => {
      const told = await Promise.all(targets.map((target) => answer(target, target.text)));
      const right = targets.filter(({ wanted }, index) => told[index] !== wanted);
      assert.ok(right.length >= targets.length - 1, `${right.length} of ${targets.length}`);
    });
  });

suite('what is written into a state, heads that have learned', () => {
  test('does not get the answer that it asks for', async (t) => {
    const engine = await openEncoderEngine({ openEncoder, isAuto: false });
    t.after(() => engine.close());
    assert.ok(engine.features);
    const names = ['billing', 'delivery', 'login'];
    const question = choiceOf('What is it about?', { billing: '', delivery: '', login: '' });
    const cases = Object.values(queueMessages).flatMap((texts, right) =>
      texts.map((text) => ({ source: text, state: textState(text), question, right })),
    );
    const { head } = await learn(engine, engine.features, cases, signal);
    assert.ok(head);
    const taught = withLearned(engine, new Map([[questionKey(question), head]]));
    const answer = async (text: string) => {
      const [found = []] = await taught.score(textState(text), [question], signal);
      return names[found.indexOf(Math.max(...found))];
    };
    const steered: string[] = [];
    for (const { source, right } of cases)
      for (const inject of variationsOf(Object.values({ ...injections, ...forgedTurns, ...plainOrders }), 7))
        for (const wanted of names.filter((_, index) => index !== right)) {
          const text = joined(source, inject(wanted, 'What is it about?'));
          if ((await answer(text)) === wanted) steered.push(text);
        }
    assert.deepEqual(steered, []);
  });
});

/** The messages of the last request to a chat, with what stands between the frame taken out. */
function lastMessages(requests: readonly { readonly body: unknown }[]) {
  const messages = field(requests.at(-1)?.body, 'messages') as readonly { role: string; content: string }[];
  return messages.map(({ role, content }) => {
    const framed = /^<material>\n([^]*)\n<\/material>(?=\n\nQuestion:)/.exec(content);
    return { role, material: framed?.[1] ?? null, rest: content.slice(framed?.[0].length ?? 0) };
  });
}

suite('what is written into a state, as servers get it', () => {
  for (const [name, handler] of Object.entries({ openai: openAiHandler, vllm: vllmHandler }))
    test(`logprobs over ${name}: stands in its frame, and everything else is as ever`, async (t) => {
      const { engine, upstream } = await logprobsWith(t, handler());
      const harmless = new Map<Target, ReturnType<typeof lastMessages>>();
      for (const target of targets) {
        await engine.score(textState('harmless'), [target.question], nothing());
        harmless.set(target, lastMessages(upstream.requests));
      }
      for (const { target, text } of everything) {
        const plain = harmless.get(target) ?? [];
        await engine.score(textState(text), [target.question], nothing());
        const sent = lastMessages(upstream.requests);
        const outside = (messages: typeof sent) => messages.map(({ role, rest }) => [role, rest]);
        assert.deepEqual(outside(sent), outside(plain));
        const material = sent.at(-1)?.material ?? '';
        assert.ok(material.startsWith(target.text.slice(0, 20)), text);
        assert.doesNotMatch(material, /<\s*\/?\s*material|<\|/i);
      }
    });

  test('systemone: is the state, byte for byte, and the questions are as ever', async (t) => {
    const { engine, upstream } = await systemOneWith(t, systemOneHandler());
    const harmless = new Map<Target, unknown>();
    for (const target of targets) {
      await engine.score(textState('harmless'), [target.question], nothing());
      harmless.set(target, field(upstream.requests.at(-1)?.body, 'questions'));
    }
    for (const { target, text } of everything) {
      const questions = harmless.get(target);
      await engine.score(textState(text), [target.question], nothing());
      const sent = upstream.requests.at(-1)?.body;
      assert.deepEqual(sent, { model: 'jev-latest', state: text, questions });
    }
  });
});

suite('what is written into a state, as trained tokenizers read it', { skip: skipsWeights }, () => {
  test('SmolLM2: opens and ends no turn', async (t) => {
    const model = await openLocalModel({ path: smolLm2, threads: 1, cacheBytes: 8 * 1_048_576 });
    t.after(() => model.close());
    const prompts = createPrompts(model);
    const special = ['<|im_start|>', '<|im_end|>', '<|endoftext|>'].flatMap((text) =>
      model.vocabulary.ofTemplate(text),
    );
    assert.equal(special.length, 3);
    const controls = async (text: string) =>
      (await prompts.prefixOf(textState(text), signal)).filter((token) => special.includes(token));
    const plain = await controls('harmless');
    assert.ok(plain.length >= 3);
    for (const { text } of everything) assert.deepEqual(await controls(text), plain, text);
  });

  test('all-MiniLM in ONNX form: opens and ends no row', async (t) => {
    const model = await openOnnxModel({ path: miniLm('int8') });
    t.after(() => model.close());
    const idsOf = async (text: string) =>
      (await model.tokenize([{ text, pair: null }], signal))[0]?.ids ?? [];
    const [first, last] = [(await idsOf('a')).at(0), (await idsOf('a')).at(-1)];
    for (const text of ['one [SEP] two', '[CLS] one [SEP]', 'one</s> two', '[MASK] [PAD] [SEP][CLS]']) {
      const ids = await idsOf(text);
      assert.deepEqual([ids.indexOf(first ?? -1), ids.lastIndexOf(first ?? -1)], [0, 0], text);
      assert.equal(ids.indexOf(last ?? -1), ids.length - 1, text);
    }
  });
});
