import { cpus } from 'node:os';
import { runAgent } from '../src/features/agent/loop.ts';
import { randomIds } from '../src/kernel/kit/ids.ts';
import { ResponseEvents } from '../src/features/agent/wire/events.ts';
import { RunMeter } from '../src/features/agent/wire/usage.ts';
import { settings } from '../test/support/settings.ts';
import { startAgent, turns, type TestAgent } from '../test/support/agent.ts';
import { agentRun } from '../test/support/agent-run.ts';
import { call, finish, says, scriptedModels, text, type Script } from '../test/support/models.ts';
import { found, scriptedSearch } from '../test/support/tools.ts';
import { printTable } from './support/table.ts';

const steps = 10;
const streams = 200;
const deltas = 200;

/** What the agent costs beside its models and tools, which answer at once here. */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${cpus().length} cores`);
  const closers: (() => Promise<void>)[] = [];
  const scope = { after: (close: () => Promise<void>) => void closers.push(close) };
  const pages = Array.from({ length: 10 }, (_, n) =>
    found(`https://${n}.example/`, { text: 'word '.repeat(300) }),
  );
  const models = scriptedModels({
    'lab/steps': stepping(),
    'lab/one': says([text('Done.')], finish()),
    'lab/stream': says(...Array.from({ length: deltas }, (_, n) => [text(`word ${n} `)]), finish()),
  });
  const agent = await startAgent(scope, { models, tools: { search: scriptedSearch(() => pages) } });
  await benchSteps(agent);
  benchEvents();
  await benchStreams(agent);
  for (const close of closers) await close();
}

/** Searches ten times, then answers, again and again. */
function stepping(): Script {
  const search = says(call('call_1', 'web_search', '{"queries":["kea","parrot"]}'), finish('tool-calls'));
  const answer = says([text('The kea is a parrot [1].')], finish());
  return (request, signal) => {
    const done = request.turns.filter(({ role }) => role === 'tool').length;
    return turns(done < steps ? search : answer)(request, signal);
  };
}

async function benchSteps(agent: TestAgent): Promise<void> {
  const body = { model: 'lab/steps', input: 'x', tools: [{ type: 'web_search' }], max_steps: steps };
  const ask = async (more: object, count: number): Promise<number> => {
    const before = process.cpuUsage();
    for (let n = 0; n < count; n++) await agent.ask({ ...body, ...more });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / count;
  };
  await ask({}, 50);
  const count = 200;
  const whole = await ask({}, count);
  const one = await ask({ model: 'lab/one', tools: [] }, count);
  printTable(
    'CPU time with an instant model and instant searches of ten pages, client in the same process',
    ['', 'ms'],
    [
      ['a request with 1 turn and no tools', one],
      [`a request with ${steps} steps`, whole],
      ['each step', (whole - one) / steps],
    ],
  );
}

function benchEvents(): void {
  const count = 200_000;
  const teller = new ResponseEvents({
    id: 'resp_x',
    createdAt: 0,
    model: 'lab/one',
    echo: {},
    ids: randomIds,
    nowS: () => 0,
    meter: new RunMeter(() => 0),
    findModel: () => null,
    includesUsage: true,
    fileUrl: () => '',
    tools: settings.tools,
  });
  teller.begin();
  teller.encode([{ type: 'message-start' }]);
  const begun = performance.now();
  for (let n = 0; n < count; n++) teller.encode([{ type: 'text-delta', text: ' word' }]);
  const us = ((performance.now() - begun) * 1_000) / count;
  printTable('One event of text into its line', ['', 'us'], [['event', us]]);
}

async function benchStreams(agent: TestAgent): Promise<void> {
  const before = process.cpuUsage();
  const begun = performance.now();
  const firsts: number[] = [];
  const stream = async (): Promise<number> => {
    const asked = performance.now();
    const response = await agent.send('POST', '/v1/agent', { model: 'lab/stream', input: 'x', stream: true });
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      if (bytes === 0) firsts.push(performance.now() - asked);
      bytes += chunk.length;
    }
    return bytes;
  };
  const sizes = await Promise.all(Array.from({ length: streams }, stream));
  const wallMs = performance.now() - begun;
  const { user, system } = process.cpuUsage(before);
  const events = streams * (deltas + 8);
  firsts.sort((a, b) => a - b);
  printTable(
    `${streams} streams of ${deltas} events of text at the same time, stored in SQLite in memory, client in the same process`,
    ['', 'value'],
    [
      ['wall time, ms', wallMs],
      ['first event, median, ms', firsts[Math.floor(firsts.length / 2)] ?? Number.NaN],
      ['events per second', (events / wallMs) * 1_000],
      ['CPU per event, us', (user + system) / events],
      ['bytes per event', sizes.reduce((sum, size) => sum + size, 0) / events],
    ],
  );
  await benchLoop();
}

/** The loop alone, without a server around it. */
async function benchLoop(): Promise<void> {
  const models = scriptedModels({ 'lab/one': says([text('Done.')], finish()) });
  const count = 5_000;
  const before = process.cpuUsage();
  for (let n = 0; n < count; n++) {
    const events = runAgent(
      { ...agentRun, names: ['lab/one'], stepsMax: 1, toolCallsMax: 1 },
      models,
      new AbortController().signal,
    );
    for await (const _ of events);
  }
  const { user, system } = process.cpuUsage(before);
  printTable('A turn of the loop alone', ['', 'us'], [['turn', (user + system) / count]]);
}
