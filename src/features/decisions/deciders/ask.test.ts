import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { neutralTemperature, withCalibration } from '../calibration.ts';
import { fingerprintOf, type DecisionEngine, type NormalizedQuestion, type State } from '../engine.ts';
import { changesIn } from '../fingerprint.ts';
import { questionKey, type Guarantee } from '../policy.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import { ask } from './ask.ts';
import { withSteps } from '../steps.ts';
import { toDecider, type Decider, type Stage } from './decider.ts';
import { fingerprintOfDecider } from './guarantees.ts';

const text: State = { entry: 'x', text: 'x', images: [] };
const limits = { inputTokensMax: 1_000 };
const options = { maxError: null };
const { signal } = new AbortController();

const noul = (question: string): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
});

/** Answers each question with the probability of yes that it is given for it, and writes down what it was asked. */
function engineOf(name: string, answers: Readonly<Record<string, number>>, vision = false) {
  const asked: string[] = [];
  const engine: DecisionEngine = {
    name,
    vision,
    health: () => 'ok',
    countTokens: (_, questions) => Promise.resolve(10 + questions.length),
    score(_, questions) {
      asked.push(...questions.map(({ question }) => question));
      return Promise.resolve(
        questions.map(({ question }) => [answers[question] ?? 0.5, 1 - (answers[question] ?? 0.5)]),
      );
    },
    close: () => Promise.resolve(),
  };
  return { engine, asked };
}

const stage = (engine: DecisionEngine, noul = 0): Stage => ({
  name: `by-${engine.name}`,
  engine,
  confidence: { noul },
});

function cascadeOf(stages: Decider['stages'], abstain = {}, guarantees: readonly Guarantee[] = []): Decider {
  return toDecider('careful', stages, guarantees, { abstain, maxError: null });
}

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

suite('a bound on the error', () => {
  const guarantee = (maxError: number, threshold: number, engine = 'small'): Guarantee => ({
    maxError,
    confidence: 0.95,
    engine,
    promptVersion: PROMPT_VERSION,
    fingerprint: { engine },
    thresholds: { byKind: { noul: threshold }, byQuestion: { [questionKey(noul('known'))]: 0.1 } },
  });
  const { engine } = engineOf('small', { high: 0.99, middle: 0.9, low: 0.6, known: 0.6 });
  const questions = ['high', 'middle', 'low', 'known'].map(noul);
  const plain = (guarantees: readonly Guarantee[]) =>
    toDecider('mine', [{ name: 'mine', engine, confidence: {} }], guarantees, {
      abstain: {},
      maxError: null,
    });
  const abstained = async (decider: Decider, maxError: number | null) =>
    (await ask(decider, limits, text, questions, signal, { maxError })).verdicts?.map(
      (one) => one.isAbstained,
    );

  test('is kept by the loosest guarantee that is as strict', async () => {
    const decider = plain([guarantee(0.01, 0.95), guarantee(0.05, 0.7), guarantee(0.1, 0.1)]);
    assert.deepEqual(await abstained(decider, 0.07), [false, false, true, false]);
    assert.deepEqual(await abstained(decider, 0.01), [false, true, true, false]);
    assert.equal(await abstained(decider, null), undefined);
  });

  test('answers no kind of which the guarantee says nothing', async () => {
    const scored: NormalizedQuestion = { ...noul('high'), kind: 'score' };
    const decision = await ask(plain([guarantee(0.05, 0)]), limits, text, [scored], signal, {
      maxError: 0.05,
    });
    assert.equal(decision.verdicts?.[0]?.isAbstained, true);
  });

  test('is refused without a guarantee for this decider, this prompt and this bound', async () => {
    const { fingerprint: _, ...unsaid } = guarantee(0.05, 0.7);
    const cases: readonly [readonly Guarantee[], RegExp][] = [
      [[], /^mine cannot promise an error of 0.05: no guarantee was fitted for it/],
      [[guarantee(0.05, 0.7, 'other')], /this has changed: engine; fit it again/],
      [[{ ...guarantee(0.05, 0.7), promptVersion: PROMPT_VERSION + 1 }], /has changed: prompt version;/],
      [[unsaid], /its guarantee for 0.05 does not say what it was fitted on; fit it again/],
      [[guarantee(0.1, 0.7), guarantee(0.2, 0.6)], /its guarantees are for 0.1, 0.2$/],
    ];
    for (const [guarantees, message] of cases)
      await assert.rejects(abstained(plain(guarantees), 0.05), { code: 'invalid_value', message });
  });

  test('of a cascade is that of all its stages and their confidences, not of an engine in it', async () => {
    const stages = [stage(engine, 0.5), stage(engine)] as const;
    await assert.rejects(abstained(cascadeOf(stages, {}, [guarantee(0.05, 0.7)]), 0.05), /engine of stage 1/);
    const fingerprint = await fingerprintOfDecider({ stages });
    const own = { ...guarantee(0.05, 0.7, 'careful'), fingerprint };
    assert.deepEqual(await abstained(cascadeOf(stages, {}, [own]), 0.05), [false, false, true, false]);
    const other = [stage(engine, 0.6), stage(engine)] as const;
    await assert.rejects(abstained(cascadeOf(other, {}, [own]), 0.05), {
      message: /this has changed: confidence of stage 1; fit it again/,
    });
  });

  test('sees every step around the engine, and not the order in which a calibration is written', async () => {
    const steps = { passes: 1, prior: false, negation: false, calibration: null } as const;
    const temperatures = (noul: number) => ({
      noul: { min: noul, a: noul, b: 0 },
      choice: neutralTemperature,
      score: neutralTemperature,
    });
    const fitted = await fingerprintOf(withSteps(engine, steps));
    const changed = async (stepped: DecisionEngine) => changesIn(fitted, await fingerprintOf(stepped));
    assert.deepEqual(await changed(engine), []);
    assert.deepEqual(await changed(withSteps(engine, { ...steps, passes: 2, prior: true })), [
      'passes',
      'prior',
    ]);
    assert.deepEqual(await changed(withSteps(engine, { ...steps, negation: true })), ['negation']);
    const calibrated = await fingerprintOf(withCalibration(engine, temperatures(2)));
    const turned = Object.fromEntries(Object.entries(temperatures(2)).toReversed()) as ReturnType<
      typeof temperatures
    >;
    assert.deepEqual(await fingerprintOf(withCalibration(engine, turned)), calibrated);
    assert.deepEqual(changesIn(calibrated, await fingerprintOf(withCalibration(engine, temperatures(3)))), [
      'calibration',
    ]);
  });

  test('is not promised of a question with examples that it was not fitted with', async () => {
    const known: NormalizedQuestion = { ...noul('known'), examples: [{ text: 'y', answer: 'true' }] };
    const reading = { ...engine, readsExamples: true };
    const ofKind = guarantee(0.05, 0);
    const byQuestion = { ...ofKind.thresholds.byQuestion, [questionKey(known)]: 0.1 };
    const own = { ...ofKind, thresholds: { ...ofKind.thresholds, byQuestion } };
    const isAbstained = async (by: DecisionEngine, given: Guarantee) => {
      const policy = { abstain: {}, maxError: 0.05 };
      const decider = toDecider('mine', [{ name: 'mine', engine: by, confidence: {} }], [given], policy);
      const { verdicts, unread } = await ask(decider, limits, text, [known], signal, options);
      return [verdicts?.[0]?.isAbstained, unread];
    };
    assert.deepEqual(await isAbstained(reading, ofKind), [true, []]);
    assert.deepEqual(await isAbstained(reading, own), [false, []]);
    // Who does not read them answers the question without them, which the guarantee knows.
    assert.deepEqual(await isAbstained(engine, ofKind), [false, [0]]);
  });

  test('is not promised of what another engine answered in its place', async () => {
    const standIn = new Set<State>();
    const own = { ...engine, answeredBy: (state: State) => (standIn.has(state) ? 'other' : 'small') };
    const decider = toDecider('mine', [{ name: 'mine', engine: own, confidence: {} }], [guarantee(0.05, 0)], {
      abstain: {},
      maxError: 0.05,
    });
    assert.deepEqual(await abstained(decider, null), [false, false, false, false]);
    standIn.add(text);
    assert.deepEqual(await abstained(decider, null), [true, true, true, true]);
  });
});
