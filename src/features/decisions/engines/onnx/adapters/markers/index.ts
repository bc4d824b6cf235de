import { OnnxProblem, optionMark, type OnnxModel, type RowText } from '../../../../../models/feature.ts';
import type { NormalizedQuestion } from '../../../../engine.ts';
import { defineAdapter, positive } from '../../adapter.ts';
import { namedText } from '../../texts.ts';
import { openTogether } from '../../together.ts';

/**
 * Laya: question, options and state in one row, with a mask token before each option, whose places the graph reads beside
 * the row. Rows, texts and limits are those of `build_sequence` and `render_options` in `laya/common.py` of the package
 * `laya` 0.4.15 (Apache-2.0), temperatures as its `temp_bucket` and `clamp_temperature` choose them.
 */
export const markers = defineAdapter({
  name: 'markers',
  suits: ({ kind }) => kind === 'markers',
  open: (model) => openMarkers(model),
});

const kinds = { choice: 0, score: 1, noul: 2 } as const;
/** The model's own limits, where rl_agent_config.json does not say. */
const rowTokens = 512;
const questionTokens = 192;
/** It gets worse from about 20 options on. */
const optionsMax = 20;
/** One token opens a row and three separate and end it. */
const framing = 4;

function openMarkers(model: OnnxModel) {
  const { settings, tokensMax } = model;
  const layout = settings['option_layout'] ?? 'sequential';
  if (layout !== 'sequential')
    throw new OnnxProblem(
      `rl_agent_config.json has the option layout ${JSON.stringify(layout)}; known is "sequential"`,
    );
  return openTogether(model, {
    rowTokensMax: Math.min(tokensMax, positive(settings['max_len'], rowTokens)),
    questionTokensMax: positive(settings['head_max_len'], questionTokens),
    optionsMax,
    framing,
    askedOf: (question) => ({
      head: `${question.kind} question: ${question.question}`,
      options: optionsOf(question).map((text) => [optionMark, ` ${text}`]),
    }),
    rowOf: ({ head, options }, state, kind): RowText => ({
      text: [{ control: 'cls' }, head, separator, ...options.flat(), separator, state, separator].flat(),
      pair: null,
      isBare: true,
      questionKind: kinds[kind],
    }),
    temperatureOf(kind, options) {
      const { temperature_by_options: byOptions, temperature } = settings;
      const own = byOptions as Readonly<Record<string, unknown>> | undefined;
      const general = Array.isArray(temperature) ? temperature[kinds[kind]] : undefined;
      return clamp(own?.[`${kind}:${bucketOf(options)}`] ?? general);
    },
  });
}

const separator = { control: 'sep' } as const;

function optionsOf({ kind, options }: NormalizedQuestion): readonly string[] {
  switch (kind) {
    case 'choice':
      return options.map(({ name, description }) => namedText(name, description));
    case 'score':
      return options.map(({ description }, index) => `level ${index}: ${description}`);
    case 'noul':
      return options.map(({ name, description }) =>
        namedText(name, description || unsaid[name === 'true' ? 1 : 0]),
      );
  }
}

const unsaid = ['no, the statement does not hold', 'yes, the statement holds'] as const;

function bucketOf(options: number): string {
  if (options <= 2) return '2';
  if (options <= 5) return '3-5';
  return options <= 10 ? '6-10' : '11+';
}

/** Published ones reach down to 0.1, which makes a certainty of a guess; the authors stop at these. */
const clamp = (value: unknown) => Math.min(5, Math.max(0.5, positive(value, 1)));
