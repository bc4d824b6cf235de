import { createRequire } from 'node:module';
import type { Json } from '../../../../kernel/kit/json.ts';
import { toLowToHigh, type Effort } from '../../model.ts';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A piece of a rendered conversation: the template's own text, or data in which no control token may arise. */
export interface Segment {
  readonly from: 'template' | 'data';
  readonly text: string;
}

/** The chat template of a model file. Contents are put in after rendering, so that data is never parsed as template. */
export function createChatTemplate(
  given: string | undefined,
  { bos, eos }: Readonly<Record<'bos' | 'eos', string>>,
) {
  const source = given === undefined || given.trim() === '' ? null : given;
  const compiled = source === null ? null : compile(source);
  const renderRaw: Render | null =
    compiled && ((variables) => compiled({ bos_token: bos, eos_token: eos, ...variables }));
  return {
    /** Null where the file has none. */
    source,
    /** Null where the file has none. Throws what the template raises. */
    renderRaw,
    /** Up to and including the opening of the assistant's turn, thinking off. */
    render: (messages: readonly ChatMessage[]): readonly Segment[] =>
      (source !== null && renderRaw !== null && fill(source, renderRaw, messages)) || plain(messages),
  };
}

function fill(source: string, render: Render, messages: readonly ChatMessage[]) {
  for (const tried of [messages, withoutSystem(messages)]) {
    const marks = tried.map((_, index) => `nestor-content-${index}-of-${tried.length}-here`);
    const shown = tried.map(({ role }, index) => ({ role, content: marks[index] }));
    const text = attempt(() =>
      render({ messages: shown, add_generation_prompt: true, ...thinkingOf('none') }),
    );
    const segments = text === null ? null : split(text, marks, tried);
    if (segments !== null) return closeThinking(segments, source);
  }
  return null;
}

/** Every family has its own switch for thinking; templates ignore the ones they do not know. */
export function thinkingOf(effort: Effort | null): Readonly<Record<string, Json>> {
  if (effort === null) return {};
  if (effort === 'none') return { enable_thinking: false, thinking: false, reasoning_effort: 'low' };
  return { enable_thinking: true, thinking: true, reasoning_effort: toLowToHigh(effort) };
}

/** Null where the template raises, as templates do on roles and orders that they do not know. */
export function attempt(render: () => string): string | null {
  try {
    return render();
  } catch {
    return null;
  }
}

/** Null when the template dropped, changed, repeated or reordered a content. */
function split(text: string, marks: readonly string[], messages: readonly ChatMessage[]): Segment[] | null {
  const segments: Segment[] = [];
  let rest = text;
  for (const [index, mark] of marks.entries()) {
    const [before, after, ...more] = rest.split(mark);
    if (before === undefined || after === undefined || more.length > 0) return null;
    segments.push({ from: 'template', text: before }, { from: 'data', text: messages[index]?.content ?? '' });
    rest = after;
  }
  return [...segments, { from: 'template', text: rest }];
}

/** For templates without a system role: its content opens the first message of the user. */
function withoutSystem(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const [system, user, ...rest] = messages;
  if (system?.role !== 'system' || user?.role !== 'user') return messages;
  return [{ role: 'user', content: `${system.content}\n\n${user.content}` }, ...rest];
}

/**
 * An answer is read right after the prompt, so the prompt must not stand inside or before a thought. Templates
 * with a switch have closed it; others open one always, or leave it to the model.
 */
function closeThinking(segments: readonly Segment[], source: string): readonly Segment[] {
  const tail = segments.at(-1)?.text ?? '';
  return [...segments.slice(0, -1), { from: 'template', text: `${tail}${thoughtEnd(tail, source)}` }];
}

/** Text that closes a thought which the prompt left open, or which the model would open. */
export function thoughtEnd(tail: string, source: string): string {
  // Harmony names a channel before each message; only `final` is an answer.
  if (source.includes('<|channel|>') && tail.endsWith('<|start|>assistant'))
    return '<|channel|>final<|message|>';
  const opened = tail.lastIndexOf('<think>');
  if (opened > tail.lastIndexOf('</think>')) return `${tail.endsWith('\n') ? '' : '\n'}\n</think>\n\n`;
  const leftToModel = opened < 0 && source.includes('<think>') && !source.includes('enable_thinking');
  return leftToModel ? '<think>\n\n</think>\n\n' : '';
}

/** For files without a template, or with one that loses what it is given. */
function plain(messages: readonly ChatMessage[]): readonly Segment[] {
  return [
    ...messages.map(({ content }, index): Segment => ({
      from: 'data',
      text: index === 0 ? content : `\n\n${content}`,
    })),
    { from: 'template', text: '\n\nAnswer:\n' },
  ];
}

export type Render = (variables: Readonly<Record<string, unknown>>) => string;

/** Compiles with the Jinja of node-llama-cpp, no direct dependency. Throws Error when the template does not parse. */
export function compile(source: string): Render {
  const fromLibrary = createRequire(import.meta.resolve('node-llama-cpp'));
  const { Template } = fromLibrary('@huggingface/jinja') as {
    readonly Template: new (source: string) => { render: Render };
  };
  const template = new Template(source);
  return (variables) => template.render(variables);
}

/** How a model sets its reasoning apart from its answer. */
export interface Thought {
  readonly open: string;
  readonly close: string;
}

const kinds: readonly Thought[] = [
  { open: '<|channel|>analysis<|message|>', close: '<|end|><|start|>assistant<|channel|>final<|message|>' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<think>', close: '</think>' },
];

/** Null for a template that never thinks. */
export function thoughtOf(source: string | null): Thought | null {
  if (source === null) return null;
  // Harmony names its channels only in parts.
  return (
    kinds.find(({ open }) => source.includes(open.startsWith('<|channel|>') ? '<|channel|>' : open)) ?? null
  );
}

export function isInside({ open, close }: Thought, tail: string): boolean {
  return tail.lastIndexOf(open) > tail.lastIndexOf(close);
}
