import type { Json } from '../../../../kernel/kit/json.ts';
import { attempt, type Render } from './template.ts';

/**
 * How a model writes calls: `open` NAME `middle` ARGUMENTS, for each further call `between` NAME `middle` ARGUMENTS,
 * then `close`. Found by rendering calls with the model's own template.
 */
export interface ToolFormat {
  /** Begins right where the answer does, or behind text where `marked`. */
  readonly open: string;
  readonly middle: string;
  /** Null where the template takes one call per turn. */
  readonly between: string | null;
  readonly close: string;
  /** `open` begins with a marker that no other text begins with. */
  readonly marked: boolean;
  /** The form in which the template expects the arguments of earlier calls. */
  readonly argumentsAs: 'object' | 'text';
}

interface FormatProbe {
  readonly render: Render;
  /** Text up to the first token that ends an answer; null where there is none. */
  readonly untilEnd: (text: string) => string | null;
}

const names = ['nestor_first_tool', 'nestor_second_tool'] as const;
const values = ['nestor-first-value', 'nestor-second-value'] as const;

/** Null where the template shows no tools, or writes calls whose arguments are no JSON object behind the name. */
export function findToolFormat(probe: FormatProbe): ToolFormat | null {
  for (const argumentsAs of ['object', 'text'] as const) {
    for (const content of ['', null]) {
      const two = read(probe, argumentsAs, content, 2);
      const one = read(probe, argumentsAs, content, 1);
      const found = two ?? one;
      if (found !== null) return { ...found, argumentsAs };
    }
  }
  return null;
}

type Found = Omit<ToolFormat, 'argumentsAs'>;

function read(
  probe: FormatProbe,
  argumentsAs: ToolFormat['argumentsAs'],
  content: string | null,
  calls: 1 | 2,
) {
  const user = { role: 'user', content: 'nestor-question' };
  const shown = { tools: names.map(toolNamed), enable_thinking: true };
  const show = (messages: readonly object[], opens: boolean) =>
    attempt(() => probe.render({ ...shown, messages, add_generation_prompt: opens }));
  const opened = show([user], true);
  const rendered = show([user, callsOf(argumentsAs, content, calls), ...resultsOf(calls)], false);
  if (opened === null || rendered === null || !names.every((name) => opened.includes(name))) return null;
  const answer = answerOf(opened, rendered);
  return answer === null ? null : split(probe, answer, calls);
}

/** The text that the template writes after the opening of the assistant's turn. */
function answerOf(opened: string, rendered: string): string | null {
  // Templates that open a thought for the answer do not repeat it in what was said before.
  const opening = opened.replace(/(?:<think>|\[THINK\])\s*$/, '');
  if (!rendered.startsWith(opening)) return null;
  return rendered.slice(opening.length).replace(emptyThought, '');
}

const emptyThought = /^(?:(?:<think>\s*)?<\/think>|<\|START_THINKING\|><\|END_THINKING\|>)\s*/;

function split({ untilEnd }: FormatProbe, answer: string, calls: 1 | 2): Found | null {
  const [open, behindOpen] = cut(answer, names[0]);
  const [middle, behindFirst] = cutArguments(behindOpen, values[0]);
  if (open === null || middle === null) return null;
  if (calls === 1) return found(open, middle, null, untilEnd(behindFirst));
  const [between, behindBetween] = cut(behindFirst, names[1]);
  const [again, behindSecond] = cutArguments(behindBetween, values[1]);
  return again !== middle || between === null ? null : found(open, middle, between, untilEnd(behindSecond));
}

function found(open: string, middle: string, between: string | null, end: string | null): Found | null {
  const close = end?.trimEnd();
  // Without words of its own a call cannot be distinguished from text, and a result in it belongs to the next turn.
  const begun = open.trimStart();
  if (close === undefined || close.includes('nestor-') || !/^[<[{]/.test(begun)) return null;
  return { open: begun, middle, between, close, marked: !begun.startsWith('{') };
}

function cut(text: string, mark: string): [before: string | null, behind: string] {
  const at = text.indexOf(mark);
  return at < 0 ? [null, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** The arguments have to stand there as one JSON object, whatever the blanks. */
function cutArguments(text: string, value: string): [before: string | null, behind: string] {
  const pattern = new RegExp(`\\{\\s*"nestor_key"\\s*:\\s*"${value}"\\s*\\}`);
  const match = pattern.exec(text);
  if (match === null) return [null, ''];
  return [text.slice(0, match.index), text.slice(match.index + match[0].length)];
}

function callsOf(argumentsAs: ToolFormat['argumentsAs'], content: string | null, calls: number) {
  const all = names.map((name, index) => {
    const given = { nestor_key: values[index] ?? '' };
    const inner = { name, arguments: argumentsAs === 'object' ? given : JSON.stringify(given) };
    return { id: callIdAt(index), type: 'function', function: inner };
  });
  return { role: 'assistant', content, tool_calls: all.slice(0, calls) };
}

function resultsOf(calls: number) {
  return names
    .slice(0, calls)
    .map((name, index) => ({ role: 'tool', name, tool_call_id: callIdAt(index), content: 'nestor-result' }));
}

/** Nine characters, because some templates take no others. */
export function callIdAt(index: number): string {
  return `call${String(index).padStart(5, '0')}`;
}

function toolNamed(name: string): Json {
  const parameters = {
    type: 'object',
    properties: { nestor_key: { type: 'string' } },
    required: ['nestor_key'],
  };
  return { type: 'function', function: { name, description: 'A tool.', parameters } };
}
