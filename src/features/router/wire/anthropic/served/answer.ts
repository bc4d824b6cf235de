import { toErrorBody } from '../../../../../kernel/http/error-dialects.ts';
import type { ReplyHeaders, JsonReply, StreamReply } from '../../../../../kernel/http/operation.ts';
import { ok, stream } from '../../../../../kernel/http/operation.ts';
import type { Fault } from '../../../../../kernel/faults.ts';
import type { Caller } from '../../../../../kernel/kit/caller.ts';
import { runAgent, RunMeter, type AgentRun } from '../../../../agent/feature.ts';
import { estimateRequestTokens, type ModelRequest, type ToolChoice } from '../../../../models/feature.ts';
import type { RouterServices } from '../../router.ts';
import { messagesPing } from '../../messages/events.ts';
import type { MessageStart } from '../../messages/message.ts';
import { ServedMessage } from './encoder.ts';
import { stepsDefault, type SplitTools } from './plan.ts';

interface ServedAnswer {
  readonly name: string;
  readonly request: ModelRequest;
  readonly served: NonNullable<SplitTools['served']>;
  readonly choice: ToolChoice;
  readonly caller: Caller;
  readonly start: MessageStart;
  readonly isStreamed: boolean;
  readonly headers: ReplyHeaders;
  readonly toFault: (error: Fault) => Fault;
}

/** Answers with tools that run here, in as many turns of the model as that takes. */
export async function answerServed(
  { name, request, served, choice, caller, start, isStreamed, headers, toFault }: ServedAnswer,
  { models, clock }: RouterServices,
): Promise<JsonReply | StreamReply> {
  const { tools: functions, toolChoice: _, parallelToolCalls, account: __, sources: ___, ...rest } = request;
  const run: AgentRun = {
    names: [name],
    request: rest,
    tools: served.tools,
    functions,
    toolChoice: choice,
    parallelToolCalls,
    stepsMax: stepsDefault,
    toolCallsMax: served.usesMax,
    check: null,
    seed: [],
    accountId: caller.account,
  };
  const meter = new RunMeter(() => estimateRequestTokens(request));
  const message = new ServedMessage({
    start,
    meter,
    now: () => new Date(clock.now()),
    onModel(one) {
      const entry = models.find(one);
      if (entry !== null) meter.useModel(entry.id, entry.price);
    },
  });
  const events = runAgent(run, models, caller.signal);
  const billing = () => {
    meter.breakOff();
    return meter.toBilling();
  };
  if (!isStreamed) {
    for await (const batch of events) message.push(batch);
    return ok(message.message(), headers, billing());
  }
  const told = (async function* tell() {
    for await (const batch of events) {
      const written = message.push(batch);
      if (written.length > 0) yield written;
    }
  })();
  const toEnd: StreamReply['endWith'] = (fault, id) => [
    { event: 'error', data: JSON.stringify(toErrorBody('anthropic', toFault(fault), id)) },
  ];
  return stream(told, toEnd, { headers, billing, ping: messagesPing });
}
