import { isJsonObject } from '../../../../../../kernel/kit/json.ts';
import { delimitersOf, OnnxProblem, type OnnxModel } from '../../../../../models/feature.ts';
import { defineAdapter, positive } from '../../adapter.ts';
import { spokenTexts } from '../../texts.ts';
import { openTogether } from '../../together.ts';

/**
 * Kev: state, question and options between tokens of their own, read from left to right; the score of an option is the
 * number of the token that ends it. The row is that of `encode` in `kev/encoding.py` for one question, the options those
 * of `to_record` in `kev/api.py` (github.com/jaredpalmer/kev, Apache-2.0), and the graph the one that
 * huggingface.co/onnx-community/kev-0.6b-ONNX describes, whose config.json names the tokens.
 */
export const pointers = defineAdapter({
  name: 'pointers',
  suits: ({ kind }) => kind === 'pointers',
  open: (model) => openPointers(model),
});

/** As many as the authors train a question with. */
const questionTokens = 1_024;
const optionsMax = 255;
/** The tokens before the state and the question, and the last one. */
const framing = 3;

function openPointers(model: OnnxModel) {
  const { settings, tokensMax } = model;
  const delimiters = delimitersOf(settings);
  if (delimiters === null) throw new OnnxProblem('config.json names no delimiters');
  const { state: stateToken, question: questionToken, option_start, option_end, decide } = delimiters;
  const temperature = positive(isJsonObject(settings['kev']) ? settings['kev']['temperature'] : null, 1);
  return openTogether(model, {
    rowTokensMax: tokensMax,
    questionTokensMax: Math.min(questionTokens, Math.floor(tokensMax / 2)),
    optionsMax,
    framing,
    askedOf: (question) => ({
      head: question.question,
      options: spokenTexts(question).map((text) => [
        { control: option_start },
        text,
        { control: option_end, isMark: true },
      ]),
    }),
    rowOf({ head, options }, state) {
      const said = [{ control: stateToken }, state, { control: questionToken }, head];
      return { text: [...said, ...options, { control: decide }].flat(), pair: null, isBare: true };
    },
    temperatureOf: () => temperature,
  });
}
