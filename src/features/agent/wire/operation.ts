import { runAgent, type AgentRun } from '../loop.ts';
import type { AgentEvent } from '../events.ts';
import type { LiveRun } from '../live-run.ts';
import { releaseUnkept } from '../run-end.ts';
import { Fault } from '../../../kernel/faults.ts';
import {
  accountOf,
  type Call,
  defineOperation,
  ok,
  type Operation,
  perMinute,
  perSecond,
  type Reply,
  stream,
} from '../../../kernel/http/operation.ts';
import { emptyRequest, estimateRequestTokens, conversationBytesMax } from '../../models/feature.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { ResponseEvents } from './events.ts';
import { apiKeyPaths, lifecycleOperations, responsePaths } from './lifecycle.ts';
import { prepareRun, type AgentServices } from './prepare.ts';
import { AgentResponse } from './response-schema.ts';
import { agentRequestSchema, type AgentRequest } from './schema.ts';
import { RunMeter } from './usage.ts';

type Live = LiveRun<readonly AgentEvent[]>;

/** The agent: one answer with searches, pages, code and functions of the caller. Contract 7. */
export function agentOperations(settings: Settings): readonly Operation<Services>[] {
  return [createResponse(settings), ...lifecycleOperations];
}

function createResponse(settings: Settings): Operation<Services> {
  return defineOperation({
    id: 'createResponse',
    summary: 'Answers an input, with tools and sources',
    group: 'agent',
    method: 'POST',
    paths: [...responsePaths(''), '/router/v1/responses'],
    surface: 'agent',
    credentials: 'bearer',
    apiKeyPaths: [...apiKeyPaths(''), '/router/v1/responses'],
    buckets: [
      perSecond('agent_qps', [1, 3, 8, 17, 33, 33]),
      perMinute('agent_rpm', [50, 150, 500, 1_000, 2_000, 2_000]),
    ],
    body: { schema: agentRequestSchema(settings.tools), bytesMax: conversationBytesMax },
    responses: { 200: AgentResponse },
    async handle(call, services: Services) {
      const { body, signal } = call;
      const live = await startRun(call, services, settings);
      if (body.background === true && body.stream !== true) {
        const { encoder } = live;
        return ok(encoder.status === 'in_progress' ? encoder.response() : headOf(live));
      }
      endWith(live, signal);
      if (body.stream === true) return toStream(live, signal);
      await live.ended;
      return ok(live.encoder.response());
    },
  });
}

/** Validates, prepares and begins. Its Faults are HTTP errors; a run that has begun fails in its response. */
async function startRun(
  { body, principal, requestId, origin, signal }: Call<AgentRequest, unknown, unknown>,
  services: AgentServices,
  settings: Settings,
): Promise<Live> {
  const { models, runs, clock, ids } = services;
  const accountId = accountOf(principal);
  const isStored = body.store ?? true;
  const room = isStored ? await services.storageQuota.admit(accountId) : Infinity;
  const { run, input, echo } = await prepareRun(body, { settings, services, accountId, signal });
  if (Buffer.byteLength(input) > room) throw new Fault('storage_quota_exceeded');
  const id = `resp_${ids.uuid()}`;
  const meter = new RunMeter(() => estimate(run));
  const startedAt = clock.monotonic();
  const nowS = () => Math.floor(clock.now() / 1_000);
  const encoder = new ResponseEvents({
    id,
    createdAt: nowS(),
    model: run.names[0] ?? '',
    echo,
    ids,
    nowS,
    meter,
    findModel: (name) => models.find(name),
    includesUsage: body.stream_options?.include_usage ?? true,
    tools: settings.tools,
    fileUrl: (fileId) =>
      `${(settings.publicUrl ?? origin).replace(/(?<!\/)\/+$/, '')}/v1/agent/${id}/files/${fileId}/content`,
  });
  const row = services.reserveRunRow();
  const started = runs.start({
    id,
    accountId,
    isStored,
    bytesMax: room,
    isBackground: body.background ?? false,
    previousId: body.previous_response_id ?? null,
    input,
    encoder,
    work: (running) => runAgent(run, models, running),
    onEnd: () =>
      row.keep({
        requestId,
        operation: 'createResponse',
        accountId,
        keyId: principal?.keyId ?? '',
        durationMs: clock.monotonic() - startedAt,
        billing: meter.toBilling(),
      }),
    timeoutMs: settings.agent.timeoutMs,
  });
  started.catch(() => row.release());
  return started;
}

function estimate({ request, tools, functions }: AgentRun): number {
  const definitions = [...tools.map(({ definition }) => definition), ...functions];
  return estimateRequestTokens({ ...emptyRequest, ...request, tools: definitions });
}

/** Ends a run when its caller leaves, and one in the background only when the server stops. */
function endWith(live: Live, signal: AbortSignal): void {
  const onAbort = () => {
    const hasLeft = signal.reason instanceof Fault && signal.reason.code === 'client_closed';
    if (!hasLeft) live.fail('server_restarted');
    else if (!live.isBackground) live.fail('cancelled');
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  void live.ended.then(() => signal.removeEventListener('abort', onAbort));
}

function toStream(live: Live, signal: AbortSignal): Reply {
  const reader = live.read(-1, signal);
  return stream(reader, ({ code }) => {
    if (code === 'client_closed') return [];
    releaseUnkept(live);
    return live.eventsAfter(reader.position);
  });
}

/** The response as it began, whatever has become of it meanwhile. */
function headOf(live: Live): unknown {
  const [created] = live.eventsAfter(-1);
  return (JSON.parse(created?.data ?? '{}') as { readonly response: unknown }).response;
}
