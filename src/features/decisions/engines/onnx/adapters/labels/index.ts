import { labelToken, labelsEnd, OnnxProblem, type OnnxModel } from '../../../../../models/feature.ts';
import { defineAdapter, positive } from '../../adapter.ts';
import { spokenTexts } from '../../texts.ts';
import { openTogether } from '../../together.ts';

/**
 * GLiClass, its encoders that read labels and text in one row (`uni-encoder`): a label token before each option, and one
 * behind the last. The row is that of `UniEncoderZeroShotClassificationPipeline.prepare_input` in `gliclass/pipeline.py`
 * of the package `gliclass` 0.1.21 (Apache-2.0), its softmax that of `single-label`. A question is the prompt there, which
 * says nothing of questions; so is a noul with the options yes and no.
 */
export const labels = defineAdapter({
  name: 'labels',
  suits: ({ kind }) => kind === 'labels',
  open: (model) => openLabels(model),
});

/** The authors' own, where config.json does not say. Graphs have as many outputs, however many labels a row has. */
const optionsMax = 25;
/** Nobody fitted one: what such models give was not calibrated. */
const temperature = 1;
/** The tokens that open and end a row and the labels, and one where question and state meet. */
const framing = 4;

function openLabels(model: OnnxModel) {
  const { settings, tokensMax } = model;
  const { prompt_first: isPromptFirst, max_num_classes: most } = settings;
  if (typeof isPromptFirst !== 'boolean')
    throw new OnnxProblem('config.json does not say whether labels stand first: prompt_first is missing');
  return openTogether(model, {
    rowTokensMax: tokensMax,
    questionTokensMax: Math.floor(tokensMax / 2),
    optionsMax: Math.max(2, positive(most, optionsMax)),
    framing,
    askedOf: (question) => ({
      head: question.question === '' ? '' : `${question.question} `,
      options: spokenTexts(question).map((text) => [labelToken, text]),
    }),
    rowOf({ head, options }, state) {
      const asked = [...options, labelsEnd, head].flat();
      return { text: isPromptFirst ? [...asked, state] : [state, ...asked], pair: null };
    },
    temperatureOf: () => temperature,
  });
}
