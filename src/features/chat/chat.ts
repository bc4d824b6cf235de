import { type AgentEvent, type RunUsage, runAgent, CitationIndex } from '../agent/feature.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { countTokens } from '../../kernel/kit/words.ts';
import type { Turn, UserPart, Models } from '../models/feature.ts';
import type { PageReader, Search } from '../search/feature.ts';
import { toFoundText, type Source } from '../tools/feature.ts';
import { StructuredGenerator } from './structured-generator.ts';
import type { ChatEvent, GroundingContext, ChatSource } from './events.ts';
import { findMedia } from './media.ts';
import { requireModel } from './needs-model.ts';
import { Preamble } from './preamble.ts';
import { answerPrompt } from './prompts.ts';
import type { Attachment, ChatQuestion } from './question.ts';
import { relatedTo } from './related.ts';
import { budgetOf, research, toSource, type Findings } from './research.ts';
import { cutText, selectSources } from './select.ts';

/** Answers questions from what a search finds. Contract 9. */
export interface Chat {
  /**
   * Throws Fault: what models throw, what a search throws that cannot find out anything, and `service_unavailable`,
   * final, for what only a model that writes can do.
   */
  answer(question: ChatQuestion, signal: AbortSignal): AsyncGenerator<readonly ChatEvent[]>;
}

export interface ChatParts {
  readonly models: Models;
  readonly search: Search;
  readonly pages: PageReader;
  readonly clock: Clock;
  /** Whether reasoning models begin their answer with their reasoning. */
  readonly thinkPreamble: boolean;
  /** What costs quality and not the answer: a plan, a note, a page, a picture. */
  readonly onFailure: OnFailure;
}

/** Of all attached files together. Unit: tokens. */
const attachmentTokensMax = 60_000;
/** Of a model's context, for everything that it reads beside the question. */
const materialShare = 0.5;

export function createChat(parts: ChatParts): Chat {
  return { answer: (question, signal) => answer(question, parts, signal) };
}

async function* answer(
  question: ChatQuestion,
  parts: ChatParts,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[]> {
  const generator = new StructuredGenerator(parts, {
    name: question.modelName,
    account: question.accountId,
    signal,
  });
  if (!generator.generates) requireModel(question);
  const today = new Date(parts.clock.now()).toISOString().slice(0, 10);
  const preamble = new Preamble(parts.thinkPreamble && question.profile.thinks);
  let findings: Findings | null = null;
  if (question.search !== null) {
    const { search, pages, onFailure } = parts;
    const steps = research(question, question.search, { search, pages, generator, today, onFailure }, signal);
    let step = await steps.next();
    for (; step.done !== true; step = await steps.next()) {
      for (const event of step.value) if (event.type === 'step') preamble.add(event.step);
      yield step.value;
    }
    findings = step.value;
  }
  const book = toBook(question, findings, generator, parts);
  const grounds = await toGrounding(question, book, findings, generator, parts, signal);
  yield [{ type: 'grounds', grounds }];
  yield* tellAnswer(question, { book, findings, preamble, generator, today }, parts, signal);
}

interface Prepared {
  /** Null where nothing was searched and nothing attached. */
  readonly book: CitationIndex | null;
  readonly findings: Findings | null;
  readonly preamble: Preamble;
  readonly generator: StructuredGenerator;
  readonly today: string;
}

/** The sources that the answer may cite: attached files first, then what fits of what was found. */
function toBook(
  { attachments, search, modelName }: ChatQuestion,
  findings: Findings | null,
  generator: StructuredGenerator,
  { models }: ChatParts,
): CitationIndex | null {
  const searched = findings !== null && findings.queries > 0;
  if (attachments.length === 0 && !searched) return null;
  const context = models.find(modelName)?.contextTokensMax ?? null;
  const most = context === null ? Infinity : Math.floor(context * materialShare);
  const book = new CitationIndex();
  let left = Math.min(attachmentTokensMax, most);
  for (const { url, title, text } of attachments) {
    const cut = cutText(text, left);
    left -= countTokens(cut);
    book.cite({ url, title, text: cut, snippet: cut, date: null, lastUpdated: null, language: null });
  }
  if (findings === null || search === null) return book;
  const budget = budgetOf(search, generator);
  const { tokensMax, sourcesMax } = findings.depth;
  const selection = {
    countMax: Math.max(search.resultsMax, sourcesMax ?? 0),
    tokensMax: Math.min(tokensMax ?? budget.tokensMax, Math.max(0, most - attachmentTokensOf(attachments))),
    tokensPerPageMax: budget.tokensPerPageMax,
  };
  for (const found of selectSources(findings.found, selection)) book.cite(found);
  return book;
}

function attachmentTokensOf(attachments: readonly Attachment[]): number {
  const sum = attachments.reduce((total, { text }) => total + countTokens(text), 0);
  return Math.min(sum, attachmentTokensMax);
}

async function toGrounding(
  question: ChatQuestion,
  book: CitationIndex | null,
  findings: Findings | null,
  generator: StructuredGenerator,
  parts: ChatParts,
  signal: AbortSignal,
): Promise<GroundingContext> {
  const attached = new Set(question.attachments.map(({ url }) => url));
  const sources = (book?.all() ?? []).map((source): ChatSource => {
    const told = toSource(source);
    return attached.has(source.url) ? { ...told, kind: 'attachment' } : told;
  });
  const [media, related] = await Promise.all([
    findMedia(question, parts, signal),
    question.related ? relatedTo(question, sources, generator) : null,
  ]);
  return { sources, ...media, related, queries: findings?.queries ?? 0 };
}

async function* tellAnswer(
  question: ChatQuestion,
  prepared: Prepared,
  { models, clock }: ChatParts,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[]> {
  const { preamble, generator } = prepared;
  const run = runAgent(toRun(question, prepared), { models, clock }, signal);
  let usage: RunUsage | null = null;
  for await (const batch of run) {
    const told: ChatEvent[] = [];
    for (const event of batch) {
      if (event.type === 'usage') usage = event.usage;
      else told.push(...toChatEvents(event, preamble, () => toSpent(usage, generator)));
    }
    if (told.length > 0) yield told;
  }
}

function toRun(question: ChatQuestion, { book, generator, today }: Prepared): Parameters<typeof runAgent>[0] {
  const { profile, language, system, modelName, functions, check, accountId } = question;
  const sources = book?.all() ?? [];
  const isReport = profile.isResearch;
  const prompt = answerPrompt({ today, sources: book === null ? null : sources.length, language, isReport });
  const { format, outputTokensMax, stop, sampling, effort, isEffortGiven } = question;
  return {
    names: [modelName],
    request: {
      // One that only quotes reads the sources themselves, and no instructions.
      system: generator.generates ? [prompt, ...system] : system,
      turns: generator.generates ? withMaterial(question.turns, sources) : question.turns,
      format,
      outputTokensMax,
      stop,
      ...sampling,
      seed: null,
      effort: profile.thinks && (isEffortGiven || isReport) ? effort : null,
    },
    tools: [],
    functions,
    toolChoice: question.toolChoice,
    parallelToolCalls: question.parallelToolCalls,
    stepsMax: 0,
    toolCallsMax: 0,
    check,
    seed: [],
    accountId,
    ...(book === null ? {} : { sources: book }),
  };
}

/** What was found stands behind the last words of the user, as data. */
function withMaterial(turns: readonly Turn[], sources: readonly Source[]): readonly Turn[] {
  if (sources.length === 0) return turns;
  const part: UserPart = { type: 'text', text: toFoundText(sources) };
  const at = turns.findLastIndex(({ role }) => role === 'user');
  const turn = turns[at];
  if (turn?.role !== 'user') return [...turns, { role: 'user', parts: [part] }];
  return turns.with(at, { role: 'user', parts: [...turn.parts, part] });
}

function toChatEvents(
  event: AgentEvent,
  preamble: Preamble,
  tokenUsage: () => Extract<ChatEvent, { readonly type: 'end' }>['tokenUsage'],
): readonly ChatEvent[] {
  switch (event.type) {
    case 'reasoning-delta':
      return toText(preamble.think(event.text));
    case 'text-delta':
      return toText(preamble.end() + event.text);
    case 'call-start':
      return [...toText(preamble.end()), { type: 'call-start', callId: event.callId, name: event.name }];
    case 'call-delta':
    case 'call-end':
      return [event];
    case 'end': {
      const { reason } = event;
      const isCut = reason === 'length' || reason === 'context-full';
      const told = reason === 'calls' ? 'calls' : isCut ? 'length' : 'stop';
      return [...toText(preamble.end()), { type: 'end', reason: told, tokenUsage: tokenUsage() }];
    }
    default:
      return [];
  }
}

function toText(text: string): readonly ChatEvent[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function toSpent(usage: RunUsage | null, { output: planning }: StructuredGenerator) {
  return { output: usage?.model.output ?? 0, reasoning: usage?.model.reasoning ?? 0, planning };
}
