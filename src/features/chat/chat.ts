import type { AgentEvent, AgentRun, RunUsage } from '../agent/feature.ts';
import { appendToQuestion, runAgent } from '../agent/feature.ts';
import { needsModel } from '../models/feature.ts';
import { toFoundText } from '../tools/feature.ts';
import { StructuredGenerator } from './structured-generator.ts';
import type { ChatEvent, ChatTokenUsage } from './events.ts';
import { Preamble } from './preamble.ts';
import { answerPrompt } from './prompts.ts';
import type { ChatDependencies, ChatQuestion, ChatWork } from './question.ts';
import { research, type Findings } from './research.ts';
import { toCitationIndex, toGrounding, type SourceIndex } from './sources.ts';

export type Chat = ReturnType<typeof createChat>;

/** Answers questions from what a search finds. Contract 9. */
export function createChat(dependencies: ChatDependencies) {
  return {
    answer: (question: ChatQuestion, signal: AbortSignal) => answer(question, dependencies, signal),
  };
}

/**
 * Throws Fault: those of models, of a search that fails as a whole, and `service_unavailable`, final, for a request
 * that only a model can answer.
 */
async function* answer(
  question: ChatQuestion,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[]> {
  const { modelName: name, accountId: account, profile, search } = question;
  const generator = new StructuredGenerator({ ...dependencies, name, account, signal });
  if (!generator.generates) requireModel(question);
  const today = new Date(dependencies.clock.now()).toISOString().slice(0, 10);
  const work: ChatWork = { ...dependencies, question, generator, today, signal };
  const preamble = new Preamble(dependencies.thinkPreamble && profile.thinks);
  let findings: Findings | null = null;
  if (search !== null) {
    const steps = research(work, search);
    let step = await steps.next();
    for (; step.done !== true; step = await steps.next()) {
      for (const event of step.value) if (event.type === 'step') preamble.add(event.step);
      yield step.value;
    }
    findings = step.value;
  }
  const index = toCitationIndex(work, findings);
  yield [{ type: 'grounding', grounding: await toGrounding(work, index, findings) }];
  let usage: RunUsage | null = null;
  for await (const batch of runAgent(toRun(work, index), dependencies.models, signal)) {
    const events: ChatEvent[] = [];
    for (const event of batch) {
      if (event.type === 'usage') usage = event.usage;
      else events.push(...toChatEvents(event, preamble, () => toTokenUsage(usage, generator)));
    }
    if (events.length > 0) yield events;
  }
}

function toRun({ question, generator, today, verification }: ChatWork, index: SourceIndex): AgentRun {
  const { profile, language, system, modelName, functions, check, accountId } = question;
  const sources = index?.all() ?? [];
  const isReport = profile.isResearch;
  const prompt = answerPrompt({ today, sources: index === null ? null : sources.length, language, isReport });
  const { format, outputTokensMax, stop, sampling, effort, isEffortGiven } = question;
  const isGrounded = generator.generates && sources.length > 0;
  return {
    names: [modelName],
    request: {
      // A model that only quotes reads the sources themselves, and no instructions.
      system: generator.generates ? [prompt, ...system] : system,
      turns: isGrounded ? appendToQuestion(question.turns, [toFoundText(sources)]) : question.turns,
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
    verification,
  };
}

function toChatEvents(
  event: AgentEvent,
  preamble: Preamble,
  tokenUsage: () => ChatTokenUsage,
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
    case 'verification':
      return [event];
    case 'end': {
      const isCut = event.reason === 'length' || event.reason === 'context-full';
      const reason = event.reason === 'calls' ? 'calls' : isCut ? 'length' : 'stop';
      return [...toText(preamble.end()), { type: 'end', reason, tokenUsage: tokenUsage() }];
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

/** Refuses a request that only a model can answer, before anything is searched for. Throws Fault `service_unavailable`, final. */
function requireModel({ check, functions, toolChoice, turns }: ChatQuestion): void {
  const seesImages = turns.some(
    (turn) => turn.role === 'user' && turn.parts.some(({ type }) => type === 'image'),
  );
  const calls = functions.length > 0 && toolChoice !== 'none';
  if (check === null && !calls && !seesImages) return;
  throw needsModel();
}
