import { pathToFileURL } from 'node:url';
import { moduleBeside } from '../../../../kernel/kit/beside.ts';
import { ownAccount, type Caller } from '../../../../kernel/kit/caller.ts';
import { preparedOnce } from '../../../../kernel/kit/prepared.ts';
import { openEncoderCache, readerPath, type Encoder, type OpenEncoder } from '../../../models/feature.ts';
import type { DecisionEngine, NormalizedQuestion, OpenedEngine, OpeningReport, State } from '../../engine.ts';
import { codeDigest } from '../../file-digests.ts';
import { createDownEngine, withFault } from '../../in-process.ts';
import { scoreAffirmed } from '../../negation.ts';
import { hitsOfLanguages } from '../../rules/detectors/language.ts';
import { withRules } from '../../rules/with-rules.ts';
import { askWithoutOrders } from '../../words/named-orders.ts';
import { openWords, type Words } from '../../words/open-words.ts';
import { lazily } from '../../rules/reading.ts';
import { aspectTexts } from './aspects.ts';
import { joinExamples } from './examples.ts';
import { createFeatures } from './features.ts';
import { comparesVectors, read } from './read.ts';
import { readAll } from './reading.ts';
import { clausesOf } from './said.ts';
import { questionsForWords, readerTexts, readQuestion, textsOf } from './texts.ts';
import { createVectors, type StateText, type Vectors } from './vectors.ts';

export interface EncoderEngineOptions {
  readonly openEncoder: OpenEncoder;
  /** Words answer until the weights are open; else what is asked waits for them. */
  readonly isAuto: boolean;
  /** Where vectors of options are kept over restarts; they are kept in memory alone without it. */
  readonly cacheFolder?: string;
  /** The weights are read behind it, or with the first question before; at once without it. */
  readonly listening?: Promise<void>;
}

/**
 * The decider that ships: a sentence encoder and word vectors together, behind the rules that need neither. It compares
 * what texts mean and does not reason. The same input gives the same bytes.
 */
export async function openEncoderEngine({
  openEncoder,
  isAuto,
  cacheFolder: folder,
  listening = Promise.resolve(),
}: EncoderEngineOptions): Promise<OpenedEngine> {
  let encoder: Encoder;
  try {
    encoder = await openEncoder();
  } catch (error) {
    return createDownEngine('encoder', error instanceof Error ? error.message : String(error));
  }
  const words = openWords();
  const { version, dimensions } = encoder;
  const cache = folder === undefined ? null : openEncoderCache({ folder, version, dimensions });
  const vectors = createVectors(encoder, cache);
  let isClosed = false;
  const closing = new AbortController();
  let opening: Promise<OpeningReport> | null = null;
  // A text whose vector is never kept: one that lies on disk would be found without opening the weights.
  const open = () =>
    (opening ??= vectors.once(['a'], { account: ownAccount, signal: closing.signal }).then(
      () => ({ problem: null }),
      (error: unknown) =>
        isClosed ? {} : { problem: error instanceof Error ? error.message : String(error) },
    ));
  const answeredByWords = new WeakSet<State>();
  const engine: DecisionEngine = {
    name: 'encoder',
    vision: false,
    readsExamples: true,
    statesAtOnce,
    health: () => (isClosed ? 'down' : 'ok'),
    countTokens: (state, questions, signal) => words.countTokens(state.text, questions, signal),
    score: (state, questions, signal, account = ownAccount) =>
      scoreAffirmed(questions, (affirmed) => {
        if (isAuto && !encoder.isOpen()) {
          answeredByWords.add(state);
          void open();
          return words.decide(state.text, affirmed, signal);
        }
        answeredByWords.delete(state);
        return withFault(scoreAll({ words, vectors, encoder }, state, affirmed, { signal, account }), signal);
      }),
    countWindows: (state) => Promise.resolve(vectors.windowsOf(state)),
    features: createFeatures(encoder, vectors),
    answeredBy: (state) => (answeredByWords.has(state) ? 'words' : 'encoder'),
    fingerprint: async () => ({
      weights: version,
      words: await words.version(),
      reading: await codeVersion(),
    }),
    async close() {
      isClosed = true;
      closing.abort();
      await cache?.close();
      await encoder.close();
    },
  };
  return { ...withRules(engine), opened: listening.then(open) };
}

/** Enough that several have the same length, which are evaluated together. */
const statesAtOnce = 64;

/** Tells one way to read vectors, with its fitted numbers and its lists, from another. */
const codeVersion = preparedOnce(() =>
  codeDigest([
    new URL('.', import.meta.url),
    ...['windows', 'shared-words'].map((name) => moduleBeside(`../../${name}`, import.meta.url)),
    pathToFileURL(readerPath),
  ]),
);

/** How much less sure answers are about a state in a language that the encoder hardly saw. Set by hand. */
const foreignTemperature = 2;

interface Parts {
  readonly words: Words;
  readonly vectors: Vectors;
  readonly encoder: Encoder;
}

const scoreAll = (parts: Parts, state: State, questions: readonly NormalizedQuestion[], caller: Caller) =>
  askWithoutOrders(state.text, questions, (text, some) => score(parts, { state, text }, some, caller));

async function score(
  { words, vectors, encoder }: Parts,
  { state, text }: StateText,
  questions: readonly NormalizedQuestion[],
  caller: Caller,
) {
  const clauses = lazily(() => clausesOf(text));
  const all = questions.map((question) => {
    const asked = readQuestion(question);
    const isCompared = question.examples !== undefined || comparesVectors(asked, clauses);
    const aspect = isCompared ? aspectTexts(asked, question, clauses) : null;
    return { question, asked, aspect, isCompared, forWords: questionsForWords(asked, question) };
  });
  const texts = all.map(({ asked }) => textsOf(asked));
  const examples = questions.flatMap((question) => question.examples?.map(({ text }) => text) ?? []);
  const ofAll = all.flatMap(({ aspect, forWords }) => (aspect === null ? forWords : []));
  const [ofWords, windows, known, near, aspects] = await Promise.all([
    words.decide(text, ofAll, caller.signal),
    vectors.ofState(
      { state, text },
      all.map(({ isCompared }, index) => ({ texts: texts[index] ?? [], isCompared })),
      caller,
    ),
    vectors.ofTexts(texts.flat(), caller),
    vectors.ofExamples(examples, caller),
    Promise.all(all.map((one) => readAspect(one, { words, vectors }, caller))),
  ]);
  const temperature = isForeign(text) ? foreignTemperature : 1;
  const vectorOf = (text: string) => known.get(text) ?? new Float32Array();
  const told = await readAll(
    { encoder, vectors },
    all.map(({ asked, question }, index) => ({
      texts: readerTexts(asked, question),
      near: textsOf(asked).map(vectorOf),
      windows: windows[index] ?? [],
    })),
    caller,
  );
  const said = ofWords.values();
  return all.map(({ question, asked, forWords }, index) => {
    const seen = windows[index] ?? [];
    const evidence = aspects[index] ?? { windows: seen, words: forWords.map(() => said.next().value ?? []) };
    const answer = read({
      question,
      asked,
      ...evidence,
      clauses,
      vectorOf,
      told: told[index] ?? [],
      temperature,
    });
    return question.examples === undefined ? answer : joinExamples(question, answer, seen, near);
  });
}

/** What the clauses say of the one thing that is judged; null where the whole state is read. */
async function readAspect(
  {
    aspect,
    forWords,
  }: { readonly aspect: readonly string[] | null; readonly forWords: readonly NormalizedQuestion[] },
  { words, vectors }: { readonly words: Words; readonly vectors: Vectors },
  caller: Caller,
) {
  if (aspect === null) return null;
  const [windows, ofWords] = await Promise.all([
    vectors.once(aspect, caller),
    words.decide(aspect.join('. '), forWords, caller.signal),
  ]);
  return { windows, words: ofWords };
}

function isForeign(text: string): boolean {
  const hits = hitsOfLanguages(text);
  const others = Math.max(0, ...[...hits].filter(([code]) => code !== 'en').map(([, count]) => count));
  return others > (hits.get('en') ?? 0) + 1;
}
