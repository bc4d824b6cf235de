import { Type } from 'typebox';
import type { Config, Fail, FeatureConfig } from '../../kernel/config.ts';
import {
  lacksUpstreams,
  engineOf,
  entry,
  filePath,
  nullable,
  retentionDays,
  section,
  slug,
  text,
  timeout,
  toggle,
  upstreams,
  whole,
} from '../../kernel/config/shape.ts';
import type { EngineDeclaration } from './engine.ts';

const modelPath = filePath(
  'GGUF file of the engine local, or folder or graph of the engine onnx; null looks in the data folder.',
);

const confidence = (what: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `${what} From 0 to 1.` });

/** One number for all kinds of question, or one for each. */
const confidences = (description: string) =>
  Type.Union(
    [
      confidence('The confidence for every kind.'),
      entry(
        {
          noul: nullable(confidence('That of a noul.'), 'That of a noul; null takes any.'),
          choice: nullable(confidence('That of a choice.'), 'That of a choice; null takes any.'),
          score: nullable(confidence('That of a score.'), 'That of a score; null takes any.'),
        },
        'A confidence by kind of question.',
      ),
    ],
    { default: 0, allowed: 'a number from 0 to 1, or a mapping of such numbers', description },
  );

const comparedDecider = (names: readonly string[]) =>
  entry(
    {
      name: slug('Name of the decision model under which it is asked.'),
      engine: engineOf(names, {
        description: 'What answers under this name.',
      }),
      upstreams: upstreams('Servers of the engines systemone and logprobs, tried in order.'),
      path: modelPath,
    },
    'A further decider, to be compared with the first.',
  );

const steps = {
  order: section(
    {
      passes: Type.Enum([1, 2, 'n'], {
        default: 1,
        description:
          'Option orders averaged per question: 1 (as given), 2 (sorted and reversed) or n (up to 8 rotations).',
      }),
    },
    'Averaging over orders of the options, against position bias.',
  ),
  prior: toggle(false, 'Divide each answer by what the engine answers to an empty state.'),
  negation: toggle(false, 'Ask every noul as it stands and denied, and join the two answers.'),
  calibration: filePath('File written by `nestor calibrate`; null means uncalibrated.'),
  learned: filePath('File written by `nestor learn`; null means nothing was learned.'),
};

const stage = entry(
  {
    decider: text('Name of a decider with an engine of its own.'),
    confidence: confidences('Confidence from which it answers; what is below goes on to the next.'),
  },
  'A decider of a cascade.',
);

const namedDecider = (names: readonly string[]) =>
  entry(
    {
      name: slug('Name of the decision model under which it is asked.'),
      engine: nullable(
        engineOf(['auto', ...names], { description: 'What answers under this name.' }),
        'What answers under this name; null with a cascade.',
      ),
      upstreams: upstreams('Servers of the engines systemone and logprobs, tried in order.'),
      path: modelPath,
      ...steps,
      cascade: Type.Array(stage, {
        default: [],
        description: 'Deciders that are asked in order, in place of an engine.',
      }),
      abstain: confidences('Confidence below which an answer is marked as abstained.'),
      max_error: nullable(
        Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'Share of wrong answers.' }),
        'Highest share of wrong answers among those given; it needs a guarantee. Null promises nothing.',
      ),
      guarantees: Type.Array(text('File of `nestor guarantee`.'), {
        default: [],
        description: 'Files written by `nestor guarantee` for this decider.',
      }),
    },
    'A decider with a name and a policy.',
  );

export const decisionKeys = (names: readonly string[]) => ({
  decisions: section(
    {
      engine: engineOf(['auto', ...names], {
        default: 'auto',
        description: 'What answers decisions. auto takes the best that is configured, at least words.',
      }),
      served: Type.Array(text('Name of a decision model.'), {
        minItems: 1,
        default: ['svc-decider-v1-27b'],
        description: 'Names of decision models that are answered.',
      }),
      max_input_tokens: whole(
        262_144,
        [1, 262_144],
        'Requests of this size and above are refused. It can be lowered only. Unit: tokens.',
      ),
      timeout_s: timeout(60, 'Longest wait for the engine, per request.'),
      upstreams: upstreams('Servers of the engines systemone and logprobs, tried in order.'),
      path: modelPath,
      gpu: toggle(
        false,
        'Let the engine local use a GPU, where node-llama-cpp is installed with its packages.',
      ),
      threads: nullable(
        Type.Integer({ minimum: 1, maximum: 256 }),
        'Threads that evaluate models in this process, for decisions, answers and embeddings; null takes the real cores for GGUF files, and half the cores, four at most, for models in ONNX form and the encoder that ships. Fewer where others use the cores.',
      ),
      ...steps,
      compare: Type.Array(comparedDecider(names), {
        default: [],
        description: 'Further deciders that answer under names of their own, uncalibrated.',
      }),
      deciders: Type.Array(namedDecider(names), {
        default: [],
        description: 'Further deciders with names and policies of their own.',
      }),
      batches: section(
        {
          parallel: whole(8, [1, 256], 'Rows of batches that are asked at the same time.'),
          max_bytes: whole(
            1_073_741_824,
            [1_048_576, 1_099_511_627_776],
            'Largest file of a batch. Unit: bytes.',
          ),
          retention_days: retentionDays(7, 'How long batches and their results are kept after their end.'),
        },
        'Decisions over the rows of a file, in the background.',
      ),
    },
    'Decisions.',
  ),
});

export const decisionConfig = (engines: readonly EngineDeclaration[]): FeatureConfig => ({
  keys: decisionKeys(engines.map(({ name }) => name)),
  check(config, fail) {
    const { decisions } = config;
    const deciders = [
      { ...decisions, path: 'decisions' },
      ...decisions.compare.map((one, index) => ({ ...one, path: `decisions.compare[${index}]` })),
      ...decisions.deciders.map((one, index) => ({ ...one, path: `decisions.deciders[${index}]` })),
    ];
    for (const { path, engine, upstreams } of deciders) {
      const needs = engines.find(({ name }) => name === engine)?.upstreams;
      const index = needs === 'named' ? upstreams.findIndex(({ model }) => model === null) : -1;
      const rest = `is missing; allowed: the name of a model, which ${engine} needs`;
      if (index !== -1) fail(`${path}.upstreams[${index}].model`, rest);
      if (needs !== undefined && upstreams.length === 0)
        fail(`${path}.engine`, lacksUpstreams(path, String(engine)));
    }
    checkNames(config, fail);
    checkCascades(config, fail);
  },
});

/** Names that the first decider answers to, whatever the configuration says of aliases. */
const reserved: ReadonlySet<string> = new Set(['pplx-decider-v1-27b', 'jev-latest']);

/** A name is one decider's. */
function checkNames({ decisions, aliases }: Config, fail: Fail): void {
  const taken = new Map<string, string>();
  for (const name of reserved) taken.set(name, 'the name of the first decider');
  for (const name of decisions.served) taken.set(name, 'decisions.served');
  for (const name of Object.keys(aliases.models)) taken.set(name, 'aliases.models');
  for (const list of ['compare', 'deciders'] as const) {
    for (const [index, { name }] of decisions[list].entries()) {
      const path = `decisions.${list}[${index}].name`;
      const owner = taken.get(name);
      if (owner !== undefined) fail(path, `is "${name}", as ${owner}; allowed: a name of its own`);
      if (name.endsWith('-latest')) fail(path, `is "${name}"; allowed: a name that does not end in -latest`);
      taken.set(name, path);
    }
  }
}

/** A decider has an engine or a cascade, and a cascade only deciders with an engine. */
function checkCascades({ decisions }: Config, fail: Fail): void {
  const { served, compare, deciders } = decisions;
  const asked = [...compare, ...deciders.filter(({ engine }) => engine !== null)].map(({ name }) => name);
  const known = [...served, ...asked];
  for (const [index, { engine, cascade }] of deciders.entries()) {
    const path = `decisions.deciders[${index}]`;
    if (engine === null && cascade.length === 0)
      fail(`${path}.engine`, 'is missing; allowed: the name of an engine, or a cascade in its place');
    if (engine !== null && cascade.length > 0)
      fail(`${path}.cascade`, `stands beside the engine ${engine}; allowed: one of the two`);
    const unknown = cascade.findIndex(({ decider }) => !known.includes(decider));
    const name = cascade[unknown]?.decider;
    if (name !== undefined)
      fail(
        `${path}.cascade[${unknown}].decider`,
        `is "${name}"; allowed: a decider with an engine: ${known.join(', ')}`,
      );
  }
}
