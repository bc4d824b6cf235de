/**
 * Prints the figures of `docs/words.md`.
 * Usage: node training/evaluate-words.ts [DATA_FOLDER]. About three minutes on one core; seeded.
 *
 * Each label set is judged by a model trained on the other one alone. Feelings and urgency are judged with the model
 * that ships, on hand-written messages that it never saw.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { decide } from '../src/features/decisions/words/decide.ts';
import { createVocabulary } from '../src/features/decisions/words/vocabulary.ts';
import { model as shipped, type Model } from '../src/features/decisions/words/model.ts';
import { toFigures } from '../src/features/decisions/evaluation/calibrate.ts';
import { auroc, spearman } from '../src/features/decisions/evaluation/metrics.ts';
import type { NormalizedQuestion } from '../src/features/decisions/engine.ts';
import { loadWordVectors } from '../src/kernel/kit/word-vectors.ts';
import { createCosine } from './cosine.ts';
import { readDataSets, type DataSet } from './data.ts';
import { choiceExamples, feelingExamples, noulExamples, wholeChoices, type Example } from './examples.ts';
import { rankings } from './ranking-messages.ts';
import { shippedPlan, trainModel } from './train-model.ts';
import { finish } from './train-readout.ts';

const vectors = loadWordVectors();
const cosine = createCosine(vectors);

type Answer = (example: Example) => readonly number[];

function answerOf(model: Model): Answer {
  const vocabulary = createVocabulary(vectors, model);
  return ({ state, question }) => finish(decide(state, [question], vocabulary))[0] ?? [];
}
const chance: Answer = ({ question }) => question.options.map(() => 1 / question.options.length);

function line(name: string, examples: readonly Example[], answer: Answer): void {
  const found = examples.map((example) => {
    const probabilities = answer(example);
    return { probabilities, right: example.right, chosen: probabilities.indexOf(Math.max(...probabilities)) };
  });
  const { accuracy, nll, brier, ece } = toFigures(found);
  const area =
    examples[0]?.question.kind === 'noul'
      ? auroc(
          found.map(({ probabilities }) => probabilities[0] ?? 0),
          found.map(({ right }) => right === 0),
        ).toFixed(3)
      : '';
  const cells = [
    name,
    found.length,
    accuracy.toFixed(3),
    nll.toFixed(3),
    brier.toFixed(3),
    ece.toFixed(3),
    area,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

function compare(name: string, examples: readonly Example[], answer: Answer): void {
  line(name, examples, answer);
  line(`${name}, untrained cosine`, examples, cosine);
  line(`${name}, chance`, examples, chance);
}

function head(): void {
  console.log(
    '| task | n | accuracy | NLL | Brier | ECE | AUROC |\n| --- | --- | --- | --- | --- | --- | --- |',
  );
}

function judge(set: DataSet, model: Model): void {
  const answer = answerOf(model);
  compare(`${set.name}: all ${set.labels.length} names`, wholeChoices(set, set.test, 1), answer);
  compare(`${set.name}: 2 to 80 names`, choiceExamples(set, set.test, 1500, 31), answer);
  compare(`${set.name}: is it about X`, noulExamples(set, set.test, 3000, 41), answer);
}

function judgeRankings(answer: Answer): void {
  console.log('\n| scale | messages | Spearman |\n| --- | --- | --- |');
  for (const { name, messages, question: asked, levels } of rankings) {
    const options = levels.map((description, i) => ({ name: String(i), description }));
    const question: NormalizedQuestion = { kind: 'score', question: asked, options };
    const scores = messages.map(({ text }) =>
      answer({ state: text, question, right: 0 }).reduce((sum, p, i) => sum + p * i, 0),
    );
    const places = messages.map(({ place }) => place);
    console.log(`| ${name} | ${messages.length} | ${spearman(scores, places).toFixed(3)} |`);
  }
}

/** Yes-or-no tasks of BIG-Bench Hard: reasoning, which comparing words cannot do. */
const reasoning = [
  ['causal_judgement', 'Yes', 'No'],
  ['navigate', 'Yes', 'No'],
  ['sports_understanding', 'yes', 'no'],
  ['web_of_lies', 'Yes', 'No'],
  ['boolean_expressions', 'True', 'False'],
] as const;

function judgeReasoning(folder: string, answer: Answer): void {
  for (const [task, yes, no] of reasoning) {
    const raw = readFileSync(join(folder, 'bbh', `${task}.json`), 'utf8');
    const { examples } = JSON.parse(raw) as { examples: readonly { input: string; target: string }[] };
    const options = [yes, no].map((name) => ({ name, description: '' }));
    const asked = examples.map(({ input, target }): Example => ({
      state: input,
      question: { kind: 'choice', question: 'Is this true?', options },
      right: target === yes ? 0 : 1,
    }));
    line(`BBH ${task}`, asked, answer);
  }
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? '../shared/data');
  const { clinc, banking } = readDataSets(folder);
  console.log('Trained on clinc150 alone, or on banking77 alone:\n');
  head();
  judge(banking, trainModel([clinc], vectors, shippedPlan));
  judge(clinc, trainModel([banking], vectors, shippedPlan));
  console.log('\nThe model that ships:\n');
  head();
  const answer = answerOf(shipped);
  line('hand-written statements, not fitted on', feelingExamples(false), answer);
  judgeReasoning(folder, answer);
  judgeRankings(answer);
}
