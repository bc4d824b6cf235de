import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { OnnxProblem } from './problem.ts';
import type { Control, RowText } from './row.ts';

/**
 * How a model is asked that answers for all options of a question at once: `markers` gives a number for each marked
 * token, whose places it reads; `labels` one for each label in the row; `pointers` one for each token; `segments` one for
 * each option, which it finds by itself; `late` one for an option that was encoded by itself.
 */
export interface Form {
  readonly kind: 'markers' | 'labels' | 'pointers' | 'segments' | 'late';
  /** The shortest row, to see what the graph gives. */
  readonly sample: RowText;
}

/** The tokens of a pointer model, by what they stand for. */
export type Delimiters = Readonly<
  Record<'state' | 'question' | 'option_start' | 'option_end' | 'decide', string>
>;

export const labelToken: Control = { control: '<<LABEL>>', isMark: true };
export const labelsEnd: Control = { control: '<<SEP>>' };
export const optionMark: Control = { control: 'mask', isMark: true };

/** Known by its inputs, not by its settings. */
export const markers: Form = {
  kind: 'markers',
  sample: { text: ['a', optionMark, 'a', optionMark, 'a'], pair: null, questionKind: 0 },
};

const segments: Form = {
  kind: 'segments',
  sample: {
    text: [{ control: 'cls' }, 'a', { control: 'sep' }, 'a', optionMark, 'a', optionMark, 'b'],
    pair: null,
    isBare: true,
    questionKind: 0,
  },
};

/** What settings say of the form of their model; null where they do not. Throws OnnxProblem. */
export function formOf(settings: JsonObject): Form | null {
  const delimiters = delimitersOf(settings);
  if (delimiters !== null) {
    const { state, question, option_start: start, option_end: end, decide } = delimiters;
    const option = [{ control: start }, 'a', { control: end, isMark: true }];
    const text = [{ control: state }, 'a', { control: question }, ...option, ...option, { control: decide }];
    return { kind: 'pointers', sample: { text, pair: null, isBare: true } };
  }
  if (settings['arch'] === 'static') return segments;
  if (isJsonObject(settings['ordinal'])) return { kind: 'late', sample: { text: 'a', pair: null } };
  const { architecture_type: architecture } = settings;
  if (architecture === undefined) return null;
  if (architecture !== 'uni-encoder')
    throw new OnnxProblem(
      `config.json has the architecture ${JSON.stringify(architecture)}; known is "uni-encoder"`,
    );
  return { kind: 'labels', sample: { text: [labelToken, 'a', labelToken, 'b', labelsEnd, 'a'], pair: null } };
}

const roles = ['state', 'question', 'option_start', 'option_end', 'decide'] as const;

export function delimitersOf({ kev }: JsonObject): Delimiters | null {
  const named = isJsonObject(kev) ? kev['delimiters'] : undefined;
  if (!isJsonObject(named) || roles.some((role) => typeof named[role] !== 'string')) return null;
  return named as Delimiters;
}
