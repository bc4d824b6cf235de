import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { NormalizedQuestion } from '../../engine.ts';
import { createFanOut } from './score.ts';
import { findCap } from './find-cap.ts';
import { weigh } from './read.ts';
import { createMatcher, letterLabels, tokenText, readLabels, toDistribution } from './labels.ts';
import { labelTexts } from '../../question-prompt.ts';
import { addressesOf } from './server.ts';

suite('labels', () => {
  test('there are more than a choice has options, all different, letters first', () => {
    assert.equal(new Set(labelTexts).size, labelTexts.length);
    assert.ok(labelTexts.length > 255);
    assert.deepEqual(labelTexts.slice(0, 28).slice(-3), ['Z', 'AA', 'AB']);
  });

  test('a token is read from its bytes, and from every raw form', () => {
    assert.equal(tokenText('\ufffd', [0x20, 0x41]), ' A');
    for (const raw of ['\u2581A', '\u0120A', ' A', '\n A', '\u010aA'])
      assert.equal(tokenText(raw, null), ' A');
    for (const raw of ['<0x41>', 'bytes:\\x41', 'A']) assert.equal(tokenText(raw, null), 'A');
  });

  test('a lower-case letter is its label, a lower-case pair is a word', () => {
    const labels = labelTexts.map((text, index) => ({ text, ids: [1_000 + index] }));
    const match = createMatcher(labels);
    const find = (text: string, id: number | null = null) => match({ text, id, logprob: -1 });
    assert.equal(find('b'), 1);
    assert.equal(find(' B'), 1);
    assert.equal(find('NO'), labelTexts.indexOf('NO'));
    for (const word of ['no', 'No', 'is', 'As', 'Answer', '', 'A.'])
      assert.equal(find(word), undefined, word);
    assert.equal(find('', 1_003), 3);
    assert.equal(createMatcher(letterLabels.slice(0, 2))({ text: 'C', id: null, logprob: 0 }), undefined);
  });
});

suite('reading labels', () => {
  const candidate = (text: string, logprob: number) => ({ text, id: null, logprob });
  const labels = letterLabels.slice(0, 3);

  test('forms of one label add up, others count for nothing', () => {
    const { weights, missing, mass } = readLabels(
      [
        candidate('A', Math.log(0.5)),
        candidate(' A', Math.log(0.1)),
        candidate('The', Math.log(0.2)),
        candidate('B', Math.log(0.05)),
        candidate('C', Math.log(0.01)),
      ],
      labels,
    );
    assert.deepEqual(
      weights.map((weight) => Number(weight.toFixed(12))),
      [0.6, 0.05, 0.01],
    );
    assert.equal(missing, 0);
    assert.ok(Math.abs(mass - 0.66) < 1e-12);
  });

  test('a missing label weighs what the least of the listed does', () => {
    const { weights, missing } = readLabels(
      [candidate('A', Math.log(0.9)), candidate('x', Math.log(0.02))],
      labels,
    );
    assert.deepEqual(
      weights.map((weight) => Number(weight.toFixed(12))),
      [0.9, 0.02, 0.02],
    );
    assert.equal(missing, 2);
  });

  test('-9999.0, no number and nonsense are missing; an underflow is not 0', () => {
    const odd = [candidate('B', -9999), candidate('C', Number.NaN), candidate('C', 5), candidate('A', -1)];
    assert.equal(readLabels(odd, labels).missing, 2);
    const { weights } = readLabels([candidate('A', 0), candidate('B', -9000), candidate('C', 1e-7)], labels);
    assert.ok(weights.every((weight) => weight > 0));
  });

  test('a distribution does not depend on the order it is summed in', () => {
    const weights = [0.1, 0.7, 1e-12, 0.3, 0.1];
    assert.deepEqual(toDistribution(weights.toReversed()), toDistribution(weights).toReversed());
  });
});

suite('grouped passes', () => {
  const question = (count: number): NormalizedQuestion => ({
    kind: 'choice',
    question: '',
    options: Array.from({ length: count }, (_, index) => ({ name: String(index), description: '' })),
  });
  const weightOf = (name: string) => 1 + ((Number(name) * 37) % 101);

  test('give what one pass would, for a model that weighs options by themselves', async () => {
    for (const [count, size] of [
      [255, 16],
      [255, 4],
      [17, 16],
      [5, 2],
      [16, 16],
    ] as const) {
      const sizes: number[] = [];
      const { weights } = await weigh(question(count), size, ({ options }) => {
        sizes.push(options.length);
        const total = options.reduce((sum, { name }) => sum + weightOf(name), 0);
        return Promise.resolve({
          weights: options.map(({ name }) => weightOf(name) / total),
          listed: 20,
          missing: 0,
          mass: 1,
        });
      });
      const expected = toDistribution(question(count).options.map(({ name }) => weightOf(name)));
      const found = toDistribution(weights);
      assert.ok(found.every((p, index) => Math.abs(p - (expected[index] ?? 0)) < 1e-12));
      assert.ok(sizes.every((given) => given >= 2 && given <= size));
    }
  });
});

suite('the fan-out', () => {
  test('lets the first go ahead, then at most the width, and all come through', async () => {
    const run = createFanOut(3);
    let [busy, busiest, firstDone] = [0, 0, false];
    const task = async (index: number) => {
      if (index > 0) assert.ok(firstDone);
      busiest = Math.max(busiest, ++busy);
      await new Promise((resolve) => setTimeout(resolve, 2));
      busy--;
      firstDone = true;
      return index;
    };
    const indices = Array.from({ length: 20 }, (_, index) => index);
    assert.deepEqual(await Promise.all(indices.map((index) => run(() => task(index)))), indices);
    assert.equal(busiest, 3);
  });

  test('what fails gives its place on; a failed first fails all', async () => {
    const run = createFanOut(1);
    await run(() => Promise.resolve());
    const results = await Promise.allSettled(
      [1, 2, 3].map((n) => run(() => Promise.reject(new Error(`${n}`)))),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    const broken = createFanOut(2);
    const all = [1, 2, 3].map((n) => broken(() => Promise.reject(new Error(`${n}`))));
    for (const one of all) await assert.rejects(one, { message: '1' });
  });
});

suite('finding the cap', () => {
  const server = (cap: number, message: (top: number) => string, lists = (top: number) => top) => {
    const asked: number[] = [];
    const ask = (top: number) => {
      asked.push(top);
      const headers = {};
      if (top > cap) {
        const body = { error: { message: message(top) } };
        return Promise.resolve({
          ok: false,
          failure: 'status',
          status: 400,
          headers,
          body,
          cause: null,
        } as const);
      }
      const top_logprobs = Array.from({ length: lists(top) }, (_, i) => ({ token: `t${i}`, logprob: -i }));
      const body = { choices: [{ logprobs: { content: [{ top_logprobs }] } }] };
      return Promise.resolve({ ok: true, status: 200, headers, body } as const);
    };
    return { asked, ask };
  };

  test('reads it from the refusals of known servers', async () => {
    const refusals = {
      openai:
        "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 20, but got 320 instead.",
      vllm: 'Requested sample logprobs of 320, which is greater than max allowed: 20',
      ollama: 'top_logprobs must be between 0 and 20',
      azure: "Invalid value for 'top_logprobs': must be less than or equal to 20.",
    };
    for (const message of Object.values(refusals)) {
      const { asked, ask } = server(20, () => message);
      assert.equal((await findCap(ask))?.cap, 20);
      assert.equal(asked.length, 3);
    }
  });

  test('finds any cap by halving when the refusal names none', async () => {
    for (const cap of [2, 3, 5, 19, 20, 21, 50, 100, 319]) {
      const { asked, ask } = server(cap, () => 'no');
      assert.equal((await findCap(ask))?.cap, cap, `${cap}`);
      assert.ok(asked.length <= 13, `${asked.length}`);
    }
  });

  test('takes what is listed where a server silently lists fewer, and knows none at all', async () => {
    assert.equal(
      (
        await findCap(
          server(
            1_000,
            () => '',
            (top) => Math.min(top, 11),
          ).ask,
        )
      )?.cap,
      11,
    );
    assert.equal((await findCap(server(1_000, () => '').ask))?.cap, 320);
    assert.equal(
      await findCap(
        server(
          1_000,
          () => '',
          () => 0,
        ).ask,
      ),
      null,
    );
    assert.equal(await findCap(server(0, () => 'logprobs are not supported').ask), null);
  });
});

test('an address is the server or its interface', () => {
  assert.deepEqual(addressesOf('http://h:1'), { base: 'http://h:1/v1', root: 'http://h:1' });
  assert.deepEqual(addressesOf('http://h:1/v1/'), { base: 'http://h:1/v1', root: 'http://h:1' });
  assert.deepEqual(addressesOf('https://h/api/v1'), { base: 'https://h/api/v1', root: 'https://h/api' });
  assert.deepEqual(addressesOf('https://h/v1beta/openai'), {
    base: 'https://h/v1beta/openai',
    root: 'https://h/v1beta/openai',
  });
});
