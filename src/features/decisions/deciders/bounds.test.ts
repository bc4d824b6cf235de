import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { neutralTemperature, withCalibration } from '../calibration.ts';
import { fingerprintOf, type DecisionEngine, type NormalizedQuestion, type State } from '../engine.ts';
import { changesIn } from '../fingerprint.ts';
import { questionKey, type Guarantee } from '../policy.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import { ask } from './ask.ts';
import { cascadeOf, engineOf, limits, noul, options, signal, stage, text } from './ask.fixture.ts';
import { withSteps } from '../steps.ts';
import { toDecider, type Decider } from './decider.ts';
import { fingerprintOfDecider } from './guarantees.ts';

suite('a bound on the error', () => {
  const guarantee = (maxError: number, threshold: number, engine = 'small') =>
    ({
      maxError,
      confidence: 0.95,
      engine,
      promptVersion: PROMPT_VERSION,
      fingerprint: { engine },
      thresholds: { byKind: { noul: threshold }, byQuestion: { [questionKey(noul('known'))]: 0.1 } },
    }) satisfies Guarantee;
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

  test('of the decider and of a request is the stricter of the two', async () => {
    const guarantees = [guarantee(0.01, 0.95), guarantee(0.05, 0.7), guarantee(0.1, 0.1)];
    const own = (maxError: number, known = guarantees) =>
      toDecider('mine', [{ name: 'mine', engine, confidence: {} }], known, { abstain: {}, maxError });
    const [strict, loose] = [
      [false, true, true, false],
      [false, false, true, false],
    ];
    assert.deepEqual(await abstained(own(0.01), 0.1), strict);
    assert.deepEqual(await abstained(own(0.05), 0.1), loose);
    assert.deepEqual(await abstained(own(0.05), 0.01), strict);
    await assert.rejects(abstained(own(0.05, [guarantee(0.05, 0.7)]), 0.01), {
      message: /^mine cannot promise an error of 0.01/,
      param: 'x-nestor-max-error',
    });
    await assert.rejects(abstained(own(0.01, [guarantee(0.05, 0.7)]), 0.05), {
      message: /^mine cannot promise an error of 0.01/,
      param: 'model',
    });
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

  test('of a cascade says from where on each of its deciders answers; what is less sure goes on', async () => {
    const [first, second] = [
      engineOf('small', { high: 0.99, middle: 0.9, low: 0.6, known: 0.6 }),
      engineOf('large', { middle: 0.99, low: 0.7, known: 0.9 }),
    ];
    const stages = [stage(first.engine), stage(second.engine)] as const;
    const { thresholds, ...rest } = guarantee(0.05, 0.95, 'careful');
    const given = {
      ...rest,
      fingerprint: await fingerprintOfDecider({ stages }),
      thresholds: [thresholds, { byKind: { noul: 0.5 }, byQuestion: { [questionKey(noul('known'))]: null } }],
    };
    const decider = cascadeOf(stages, {}, [given]);
    const verdicts = async (maxError: number | null) =>
      (await ask(decider, limits, text, questions, signal, { maxError })).verdicts?.map(
        ({ isAbstained, decidedBy }) => `${decidedBy} ${isAbstained ? 'abstains' : 'answers'}`,
      );
    assert.deepEqual(await verdicts(0.05), [
      'by-small answers',
      'by-large answers',
      'by-large abstains',
      // Its own threshold at the first is 0.1.
      'by-small answers',
    ]);
    assert.deepEqual(second.asked, ['middle', 'low']);
    // Without a bound each answers from the confidence of the cascade on, here any.
    assert.deepEqual(
      await verdicts(null),
      questions.map(() => 'by-small answers'),
    );
  });

  test('of a cascade is not promised of what a stand-in for one of its deciders passed on', async () => {
    const sure = engineOf('large', { low: 0.999 });
    const away = { ...engine, answeredBy: () => 'other' };
    const abstains = async (first: DecisionEngine) => {
      const stages = [stage(first), stage(sure.engine)] as const;
      const fingerprint = await fingerprintOfDecider({ stages });
      const own = { ...guarantee(0.05, 0.7, 'careful'), fingerprint };
      const asked = [noul('low')];
      const decision = await ask(cascadeOf(stages, {}, [own]), limits, text, asked, signal, {
        maxError: 0.05,
      });
      return decision.verdicts;
    };
    assert.deepEqual(await abstains(engine), [{ isAbstained: false, decidedBy: 'by-large' }]);
    assert.deepEqual(await abstains(away), [{ isAbstained: true, decidedBy: 'by-large' }]);
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
