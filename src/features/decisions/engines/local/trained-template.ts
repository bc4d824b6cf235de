import { isExactNumber } from '../../../../kernel/kit/json-exact.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { LocalModel } from '../../../models/feature.ts';
import type { NormalizedQuestion, Option, State } from '../../engine.ts';
import { plainQuestion } from '../../question-prompt.ts';
import type { Label, Labels } from './trained-labels.ts';

export type Decision = NonNullable<LocalModel['decision']>;

/** A prompt, and what its answer is read from. */
interface Written {
  readonly text: string;
  /** Options in the order in which the prompt has them. */
  readonly shown: readonly Option[];
  /** Of the same options. */
  readonly labels: readonly Label[];
}

export type Write = (state: State, question: NormalizedQuestion) => Written;

/** The order in which models were taught to see yes and no. */
const yesFirst: ReadonlySet<string> = new Set(['openjev', 'lfm2-d1']);

/** The template is given no id of a caller: an answer must not depend on what a question is called. */
const id = 'question';

/** Fills the template of a decision model. `clean` leaves nothing in data that reads as a control token. */
export function createTemplate(
  { type, render }: Decision,
  labels: Labels,
  clean: (text: string) => string,
): Write {
  // A letter for each place is written by the template itself.
  const isLabelled = type !== 'openjev';
  return (state, question) => {
    const shown = shownOf(question, yesFirst.has(type));
    const own = labels.of(question.kind, shown);
    const asked: JsonObject = {
      id,
      type: question.kind,
      instructions: question.question === '' ? plainQuestion(question.kind) : question.question,
      options: shown.map(({ name, description }, at) => ({
        key: name,
        description: description === '' ? null : description,
        ...(isLabelled && { label: own[at]?.text ?? '' }),
      })),
    };
    const all = type === 'nimble' && { questions: [asked] };
    const data = cleaned({ ...asked, state: state.entry, ...all }, clean, type === 'lev');
    return { shown, labels: own, text: render({ ...(data as JsonObject), images: [] }) };
  };
}

function shownOf({ kind, options }: NormalizedQuestion, isYesFirst: boolean): readonly Option[] {
  if (kind !== 'noul') return options;
  const first = isYesFirst ? 'true' : 'false';
  return options.toSorted((a, b) => Number(b.name === first) - Number(a.name === first));
}

/** Names of fields are data as well. */
function cleaned(value: Json, clean: (text: string) => string, isSorted: boolean): Json {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((item: Json) => cleaned(item, clean, isSorted));
  if (typeof value !== 'object' || value === null) return value;
  // A template rounds numbers, and these were kept from that.
  if (isExactNumber(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, item]) => [clean(key), cleaned(item, clean, isSorted)] as const,
  );
  return Object.fromEntries(isSorted ? fields.toSorted(([a], [b]) => (a < b ? -1 : 1)) : fields);
}
