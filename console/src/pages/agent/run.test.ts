import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addEvent, createRun, isUnderWay, readOutput, toRun, type Run } from './run.ts';
import type { AgentEvent, AgentResponse, OutputItem } from './wire.ts';

const shell: AgentResponse = {
  id: 'resp_1',
  status: 'in_progress',
  model: 'lab/a',
  output: [],
  error: null,
  incomplete_details: null,
  usage: null,
  background: false,
  store: true,
  previous_response_id: null,
  instructions: null,
  max_steps: 1,
  tools: [],
  created_at: 1,
};
const page = { id: 3, url: 'https://kea.example/', title: 'Kea', snippet: 'A parrot.' };
const found: OutputItem = { type: 'search_results', queries: ['kea'], results: [page] };
const read: OutputItem = { type: 'fetch_url_results', contents: [] };
const mark = (text: string, url: string) => {
  const start = text.indexOf('[');
  return { start_index: start, end_index: text.indexOf(']') + 1, url, title: 'Read page' };
};
const message = (text: string, url = 'https://read.example/'): OutputItem => ({
  type: 'message',
  id: 'msg_1',
  content: [{ text, annotations: text.includes('[') ? [mark(text, url)] : [] }],
});
const call: OutputItem = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{}',
};

const told: readonly Omit<AgentEvent, 'sequence_number'>[] = [
  { type: 'response.created', response: shell },
  { type: 'response.in_progress', response: shell },
  { type: 'response.reasoning.started', thought: 'Let me look.' },
  { type: 'response.reasoning.search_queries', queries: ['kea'], thought: '' },
  { type: 'response.reasoning.search_results', results: [page], thought: '' },
  { type: 'response.reasoning.stopped', thought: '' },
  { type: 'response.output_item.added', output_index: 0, item: found },
  { type: 'response.output_item.done', output_index: 0, item: found },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { type: 'message', id: 'msg_1', content: [] },
  },
  { type: 'response.output_text.delta', output_index: 1, delta: 'The kea ' },
  { type: 'response.output_text.delta', output_index: 1, delta: 'flies [7].' },
  { type: 'response.output_item.done', output_index: 1, item: message('The kea flies [7].') },
];
const events: readonly AgentEvent[] = told.map((event, index) => ({ ...event, sequence_number: index }));
const upTo = (count: number): Run => events.slice(0, count).reduce(addEvent, createRun('What?'));

test('what a tool tells is shown until its item is there', () => {
  assert.deepEqual(
    upTo(5).progress.map(({ kind, texts }) => [kind, ...texts]),
    [
      ['thought', 'Let me look.'],
      ['search', 'kea'],
      ['found', 'Kea'],
    ],
  );
  assert.deepEqual(upTo(7).progress, []);
  assert.deepEqual(readOutput(upTo(7)).steps, [found]);
});

test('the answer grows with its pieces', () => {
  assert.equal(readOutput(upTo(10)).answer, 'The kea ');
  assert.equal(readOutput(upTo(11)).answer, 'The kea flies [7].');
  assert.equal(isUnderWay(upTo(11)), true);
});

test('a stream that is read again from an earlier place changes nothing', () => {
  const whole = upTo(events.length);
  assert.deepEqual(events.slice(4).reduce(addEvent, whole), whole);
});

test('the last event is the whole response', () => {
  const response: AgentResponse = { ...shell, status: 'completed', output: [found, message('Done [7].')] };
  const ended = addEvent(upTo(11), { type: 'response.completed', sequence_number: 99, response });
  assert.equal(isUnderWay(ended), false);
  assert.equal(ended.input, 'What?');
  assert.deepEqual({ ...ended, sequence: -1 }, toRun(response, 'What?'));
});

test('sources are those that were found and those that only marks name, by their numbers', () => {
  const { sources } = readOutput(toRun({ ...shell, output: [message('Read [1].'), found, read] }, null));
  assert.deepEqual(
    sources.map(({ number, title }) => [number, title]),
    [
      [1, 'Read page'],
      [3, 'Kea'],
    ],
  );
});

test('a text that tools follow is a step, and one that function calls follow is the answer', () => {
  const first = readOutput(toRun({ ...shell, output: [message('Let me look.'), found] }, null));
  assert.deepEqual([first.answer, first.steps.length], ['', 2]);
  const second = readOutput(
    toRun({ ...shell, status: 'requires_action', output: [message('Ask.'), call] }, null),
  );
  assert.deepEqual([second.answer, second.calls], ['Ask.', [call]]);
});

test('calls wait for an output only when the run has stopped for them', () => {
  assert.deepEqual(readOutput(toRun({ ...shell, status: 'completed', output: [call] }, null)).calls, []);
});
