import { withoutEndSlashes } from '../../../kernel/kit/text.ts';
import { runAgent, type AgentRun } from '../loop.ts';
import type { AgentEvent } from '../events.ts';
import type { LiveRun, ResponseEncoder } from '../live-run.ts';
import { releaseUnkept } from '../run-end.ts';
import type { RunConversation } from '../run-store.ts';
import { Fault } from '../../../kernel/faults.ts';
import {
  accountOf,
  ok,
  stream,
  type Call,
  type Reply,
  type ReplyHeaders,
} from '../../../kernel/http/operation.ts';
import type { Ids } from '../../../kernel/kit/ids.ts';
import type { Json } from '../../../kernel/kit/json.ts';
import { emptyRequest, estimateRequestTokens } from '../../models/feature.ts';
import type { Settings } from '../../../kernel/feature.ts';
import type { EncoderOptions } from './run-encoder.ts';
import { prepareRun, type AgentServices, type PreparedRun } from './prepare.ts';
import type { AgentRequest } from './schema.ts';
import { RunMeter } from './usage.ts';

type Batch = readonly AgentEvent[];
type Live = LiveRun<Batch>;

/** How a surface asks for a run and tells of it. */
export interface RunForm {
  /** A new one without it. */
  readonly id?: string;
  readonly request: AgentRequest;
  /** The operation in the ledger. */
  readonly operation: string;
  /** Items of the input in the words of the house. */
  readonly toItems?: (items: readonly Json[]) => readonly Json[];
  /** A conversation whose items come before the input, and that keeps what is said, also where `store` is false. */
  readonly conversation?: (RunConversation & { readonly before: readonly Json[] }) | null;
  /** False: ends as it begins, and is there for others to go on with. */
  readonly asksModel?: boolean;
  /** Answers an input of instructions alone, which is refused without it. */
  readonly answersSystem?: boolean;
  readonly adapt?: (prepared: PreparedRun) => AgentRun;
  readonly encode: (parts: EncoderOptions) => ResponseEncoder<Batch>;
}

export const newRunId = (ids: Ids): string => `resp_${ids.uuid()}`;

/** Validates, prepares and begins. Its Faults are HTTP errors; a run that has begun fails in its response. */
export async function startRun(
  { principal, requestId, origin, signal }: Call<unknown, unknown, unknown>,
  services: AgentServices,
  settings: Settings,
  form: RunForm,
): Promise<Live> {
  const { request, operation, toItems, conversation = null, asksModel = true, answersSystem = false } = form;
  const { models, runs, clock, ids } = services;
  const { id = newRunId(ids) } = form;
  const accountId = accountOf(principal);
  const isStored = request.store ?? true;
  const room = isStored || conversation ? await services.storageQuota.admit(accountId) : Infinity;
  const before = conversation?.before ?? [];
  const how = { settings, services, accountId, signal, asksModel, answersSystem, before };
  const prepared = await prepareRun(request, { ...how, ...(toItems && { toItems }) });
  const { input, echo } = prepared;
  if (Buffer.byteLength(input) > room) throw new Fault('storage_quota_exceeded');
  const run = form.adapt?.(prepared) ?? prepared.run;
  const meter = new RunMeter(() => estimate(run));
  const startedAt = clock.monotonic();
  const nowS = () => Math.floor(clock.now() / 1_000);
  const encoder = form.encode({
    id,
    createdAt: nowS(),
    model: run.names[0] ?? '',
    echo,
    ids,
    nowS,
    meter,
    findModel: (name) => models.find(name),
    tools: settings.tools,
    fileUrl: fileUrlOf(id, origin, settings),
  });
  const row = services.reserveRunRow();
  const onEnd = () =>
    bill(row, meter, {
      requestId,
      operation,
      accountId,
      keyId: principal?.keyId ?? '',
      durationMs: clock.monotonic() - startedAt,
    });
  const started = runs.start({
    id,
    accountId,
    isStored,
    bytesMax: room,
    isBackground: request.background ?? false,
    previousId: request.previous_response_id ?? null,
    input,
    encoder,
    conversation,
    work: asksModel ? (running) => runAgent(run, models, running) : endAtOnce,
    onEnd,
    timeoutMs: settings.agent.timeoutMs,
  });
  started.catch(() => row.release());
  return started;
}

type RunRow = ReturnType<AgentServices['reserveRunRow']>;

/** A run that spent nothing has no row. */
function bill(row: RunRow, meter: RunMeter, run: Omit<Parameters<RunRow['keep']>[0], 'billing'>): void {
  if (meter.isNothing) row.release();
  else row.keep({ ...run, billing: meter.toBilling() });
}

async function* endAtOnce(): AsyncGenerator<Batch> {
  yield [{ type: 'end', reason: 'end', stopSequence: null }];
}

/** Where a file of a response is read. */
function fileUrlOf(id: string, origin: string, { publicUrl }: Settings): (fileId: string) => string {
  const base = withoutEndSlashes(publicUrl ?? origin);
  return (fileId) => `${base}/v1/agent/${id}/files/${fileId}/content`;
}

function estimate({ request, tools, functions }: AgentRun): number {
  const definitions = [...tools.map(({ definition }) => definition), ...functions];
  return estimateRequestTokens({ ...emptyRequest, ...request, tools: definitions });
}

/** Answers as a request asks: at once, as a stream, or when everything is there. */
export async function replyWith(
  live: Live,
  { background, stream: isStreamed }: Pick<AgentRequest, 'background' | 'stream'>,
  signal: AbortSignal,
  headers: ReplyHeaders = {},
): Promise<Reply> {
  if (background === true && isStreamed !== true) {
    const { encoder } = live;
    return ok(encoder.status === 'in_progress' ? encoder.response() : headOf(live), headers);
  }
  endWith(live, signal);
  if (isStreamed === true) return toStream(live, signal, headers);
  await live.ended;
  return ok(live.encoder.response(), headers);
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

function toStream(live: Live, signal: AbortSignal, headers: ReplyHeaders): Reply {
  const reader = live.read(-1, signal);
  const endWithRest = ({ code }: Fault) => {
    if (code === 'client_closed') return [];
    releaseUnkept(live);
    return live.eventsAfter(reader.position);
  };
  return stream(reader, endWithRest, { headers });
}

/** The response as it began, whatever has become of it meanwhile. */
function headOf(live: Live): unknown {
  const [created] = live.eventsAfter(-1);
  return (JSON.parse(created?.data ?? '{}') as { readonly response: unknown }).response;
}
