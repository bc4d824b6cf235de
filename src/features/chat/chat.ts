import {
  type AgentEvent,
  type RunUsage,
  appendToQuestion,
  runAgent,
  CitationIndex,
} from '../agent/feature.ts';
import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import { countTokens } from '../../kernel/kit/words.ts';
import type { Models } from '../models/feature.ts';
import type { PageReader, Search } from '../search/feature.ts';
import { toFoundText } from '../tools/feature.ts';
import { StructuredGenerator } from './structured-generator.ts';
import type { ChatEvent, GroundingContext, ChatSource } from './events.ts';
import { findMedia } from './media.ts';
import { Preamble } from './preamble.ts';
import { answerPrompt } from './prompts.ts';
import type { Attachment, ChatQuestion } from './question.ts';
import { relatedTo } from './related.ts';
import { budgetOf, research, toSource, type Findings } from './research.ts';
import { cutText, selectSources } from './select.ts';

/** Answers questions from what a search finds. Contract 9. */
export interface Chat {
  /**
   * Throws Fault: those of models, of a search that fails as a whole, and `service_unavailable`, final, for a request
   * that only a model can answer.
   */
  answer(question: ChatQuestion, signal: AbortSignal): AsyncGenerator<readonly ChatEvent[]>;
}

interface ChatDependencies {
  readonly models: Models;
  readonly search: Search;
  readonly pages: PageReader;
  readonly clock: Clock;
  /** Whether reasoning models begin their answer with their reasoning. */
  readonly thinkPreamble: boolean;
  /** Logs a failure that costs quality and not the answer: of a plan, a note, a page, a picture. */
  readonly onFailure: OnFailure;
}

/** Longest text of all attached files together. Unit: tokens. */
const attachmentTokensMax = 60_000;
/** Share of a model's context for the sources. */
const sourcesShare = 0.5;

export function createChat(dependencies: ChatDependencies): Chat {
  return { answer: (question, signal) => answer(question, dependencies, signal) };
}

async function* answer(
  question: ChatQuestion,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[]> {
  const generator = new StructuredGenerator(dependencies, {
    name: question.modelName,
    account: question.accountId,
    signal,
  });
  if (!generator.generates) requireModel(question);
  const today = new Date(dependencies.clock.now()).toISOString().slice(0, 10);
  const preamble = new Preamble(dependencies.thinkPreamble && question.profile.thinks);
  let findings: Findings | null = null;
  if (question.search !== null) {
    const { search, pages, onFailure } = dependencies;
    const steps = research(question, question.search, { search, pages, generator, today, onFailure }, signal);
    let step = await steps.next();
    for (; step.done !== true; step = await steps.next()) {
      for (const event of step.value) if (event.type === 'step') preamble.add(event.step);
      yield step.value;
    }
    findings = step.value;
  }
  const index = toCitationIndex(question, findings, generator, dependencies);
  const grounding = await toGrounding(question, index, findings, generator, dependencies, signal);
  yield [{ type: 'grounding', grounding }];
  yield* streamAnswer(question, { index, findings, preamble, generator, today }, dependencies, signal);
}

interface Prepared {
  /** Null where nothing was searched and nothing attached. */
  readonly index: CitationIndex | null;
  readonly findings: Findings | null;
  readonly preamble: Preamble;
  readonly generator: StructuredGenerator;
  readonly today: string;
}

/** The sources that the answer may cite: attached files first, then what fits of what was found. */
function toCitationIndex(
  { attachments, search, modelName }: ChatQuestion,
  findings: Findings | null,
  generator: StructuredGenerator,
  { models }: ChatDependencies,
): CitationIndex | null {
  const searched = findings !== null && findings.queries > 0;
  if (attachments.length === 0 && !searched) return null;
  const context = models.find(modelName)?.contextTokensMax ?? null;
  const most = context === null ? Infinity : Math.floor(context * sourcesShare);
  const index = new CitationIndex();
  let left = Math.min(attachmentTokensMax, most);
  for (const { url, title, text } of attachments) {
    const cut = cutText(text, left);
    left -= countTokens(cut);
    index.cite({ url, title, text: cut, snippet: cut, date: null, lastUpdated: null, language: null });
  }
  if (findings === null || search === null) return index;
  const budget = budgetOf(search, generator);
  const { tokensMax, sourcesMax } = findings.depth;
  const selection = {
    countMax: Math.max(search.resultsMax, sourcesMax ?? 0),
    tokensMax: Math.min(tokensMax ?? budget.tokensMax, Math.max(0, most - attachmentTokensOf(attachments))),
    tokensPerPageMax: budget.tokensPerPageMax,
  };
  for (const found of selectSources(findings.found, selection)) index.cite(found);
  return index;
}

function attachmentTokensOf(attachments: readonly Attachment[]): number {
  const sum = attachments.reduce((total, { text }) => total + countTokens(text), 0);
  return Math.min(sum, attachmentTokensMax);
}

async function toGrounding(
  question: ChatQuestion,
  index: CitationIndex | null,
  findings: Findings | null,
  generator: StructuredGenerator,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): Promise<GroundingContext> {
  const attached = new Set(question.attachments.map(({ url }) => url));
  const sources = (index?.all() ?? []).map((source): ChatSource => {
    const one = toSource(source);
    return attached.has(source.url) ? { ...one, kind: 'attachment' } : one;
  });
  const [media, related] = await Promise.all([
    findMedia(question, dependencies, signal),
    question.related ? relatedTo(question, sources, generator) : null,
  ]);
  return { sources, ...media, related, queries: findings?.queries ?? 0 };
}

async function* streamAnswer(
  question: ChatQuestion,
  prepared: Prepared,
  { models, clock }: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[]> {
  const { preamble, generator } = prepared;
  const run = runAgent(toRun(question, prepared), { models, clock }, signal);
  let usage: RunUsage | null = null;
  for await (const batch of run) {
    const events: ChatEvent[] = [];
    for (const event of batch) {
      if (event.type === 'usage') usage = event.usage;
      else events.push(...toChatEvents(event, preamble, () => toTokenUsage(usage, generator)));
    }
    if (events.length > 0) yield events;
  }
}

function toRun(
  question: ChatQuestion,
  { index, generator, today }: Prepared,
): Parameters<typeof runAgent>[0] {
  const { profile, language, system, modelName, functions, check, accountId } = question;
  const sources = index?.all() ?? [];
  const isReport = profile.isResearch;
  const prompt = answerPrompt({ today, sources: index === null ? null : sources.length, language, isReport });
  const { format, outputTokensMax, stop, sampling, effort, isEffortGiven } = question;
  return {
    names: [modelName],
    request: {
      // A model that only quotes reads the sources themselves, and no instructions.
      system: generator.generates ? [prompt, ...system] : system,
      turns:
        generator.generates && sources.length > 0
          ? appendToQuestion(question.turns, [toFoundText(sources)])
          : question.turns,
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
    ...(index === null ? {} : { sources: index }),
  };
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
      const ended = reason === 'calls' ? 'calls' : isCut ? 'length' : 'stop';
      return [...toText(preamble.end()), { type: 'end', reason: ended, tokenUsage: tokenUsage() }];
    }
    default:
      return [];
  }
}

function toText(text: string): readonly ChatEvent[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function toTokenUsage(usage: RunUsage | null, { output: planning }: StructuredGenerator) {
  return { output: usage?.model.output ?? 0, reasoning: usage?.model.reasoning ?? 0, planning };
}

/** The words of the extractive default as well, which says them when it is asked directly. */
const needsModel =
  'This request needs a language model and none is configured: set `providers` in the configuration, put a GGUF file into the data folder, or run `nestor models pull`; see docs/guide/models.md.';

/** Refuses a request that only a model can answer, before anything is searched for. Throws Fault `service_unavailable`, final. */
function requireModel({ check, functions, toolChoice, turns }: ChatQuestion): void {
  const seesImages = turns.some(
    (turn) => turn.role === 'user' && turn.parts.some(({ type }) => type === 'image'),
  );
  const calls = functions.length > 0 && toolChoice !== 'none';
  if (check === null && !calls && !seesImages) return;
  throw new Fault('service_unavailable', needsModel, { retryAfterMs: 60_000, final: true });
}
