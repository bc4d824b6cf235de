import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ask } from './ask.ts';
import { cascadeOf, engineOf, limits, noul, options, signal, stage, text } from './ask.fixture.ts';

suite('a cascade', () => {
  const questions = ['sure', 'unsure', 'open'].map(noul);
  const small = () => engineOf('small', { sure: 0.95, unsure: 0.7, open: 0.5 });
  const large = () => engineOf('large', { unsure: 0.99, open: 0.4 });

  test('asks the next only what the one before was not confident enough of, and keeps the order', async () => {
    const [first, second] = [small(), large()];
    const decider = cascadeOf([stage(first.engine, 0.8), stage(second.engine)]);
    const decision = await ask(decider, limits, text, questions, signal, options);
    assert.deepEqual(first.asked, ['sure', 'unsure', 'open']);
    assert.deepEqual(second.asked, ['unsure', 'open']);
    assert.deepEqual(
      decision.distributions.map(([yes]) => yes),
      [0.95, 0.99, 0.4],
    );
    assert.deepEqual(decision.verdicts, [
      { isAbstained: false, decidedBy: 'by-small' },
      { isAbstained: false, decidedBy: 'by-large' },
      { isAbstained: false, decidedBy: 'by-large' },
    ]);
    assert.equal(decision.engine, 'small, large');
    assert.equal(decision.inputTokens, 13 + 12);
    assert.deepEqual(decision.uses, [
      { name: 'by-small', questions: 3, passedOn: 2, inputTokens: 13 },
      { name: 'by-large', questions: 2, passedOn: 0, inputTokens: 12 },
    ]);
  });

  test('does not ask the next where nothing is left', async () => {
    const [first, second] = [small(), large()];
    const decider = cascadeOf([stage(first.engine, 0.85), stage(second.engine)]);
    const decision = await ask(decider, limits, text, [noul('sure')], signal, options);
    assert.deepEqual(second.asked, []);
    assert.equal(decision.uses.length, 1);
  });

  test('takes the best guess of the last, and says that it is none better', async () => {
    const decider = cascadeOf([stage(small().engine, 0.8), stage(large().engine, 0.8)], { noul: 0.95 });
    const decision = await ask(decider, limits, text, questions, signal, options);
    assert.deepEqual(
      decision.verdicts?.map(({ isAbstained }) => isAbstained),
      [true, false, true],
    );
    assert.deepEqual(decision.distributions[2], [0.4, 0.6]);
  });

  test('goes past a decider that sees no images, and is refused where none does', async () => {
    const image = { format: 'png', bytes: Buffer.alloc(0), width: 1, height: 1, tokens: 1 } as const;
    const seen = { ...text, images: [image] };
    const seeing = engineOf('seeing', { sure: 0.6 }, true);
    const first = small();
    const decider = cascadeOf([stage(first.engine), stage(seeing.engine)]);
    const decision = await ask(decider, limits, seen, [noul('sure')], signal, options);
    assert.equal(decision.verdicts?.[0]?.decidedBy, 'by-seeing');
    assert.deepEqual(first.asked, []);
    const blind = cascadeOf([stage(first.engine), stage(large().engine)]);
    await assert.rejects(ask(blind, limits, seen, [noul('sure')], signal, options), {
      code: 'images_unsupported',
    });
  });
});
