import type { TestScope, TestServer } from '../support/server.ts';
import { startServer } from '../support/server.ts';
import { slow } from '../support/agent.ts';
import { finish, says, text, call } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';

/** Calls the first function it is given, tells its result, and answers plainly without functions. */
export const assistant: Answer = (request, signal) => {
  const last = request.turns.at(-1);
  const [result] = last?.role === 'tool' ? last.results : [];
  if (result !== undefined) {
    const told = result.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return says([text('It says: ')], [text(told)], finish())(request, signal);
  }
  if (request.format.type === 'json-schema')
    return says([text('{"city":')], [text('"Bern","days":2}')], finish())(request, signal);
  const [tool] = request.tools;
  if (tool?.name === 'web_search' && request.toolChoice !== 'none')
    return says(call('c1', 'web_search', '{"queries":["token"]}'), finish('tool-calls'))(request, signal);
  if (tool !== undefined && tool.name !== 'web_search')
    return says(
      [text('I ask. ')],
      call('call_1', tool.name, '{"city":', '"Bern"}'),
      finish('tool-calls'),
    )(request, signal);
  return says([text('Hello')], [text(' there.')], finish())(request, signal);
};

/** A whole server with a model that answers, and one that takes its time. */
export function startAgentServer(t: TestScope, withDocs = false): Promise<TestServer> {
  const provider = scriptedProvider('lab', {
    echo: { answer: assistant },
    slow: { answer: slow(10_000) },
  });
  return startServer(t, {
    providers: [provider],
    withDocs,
    config: 'agent: { roles: { fast: lab/echo, main: lab/echo, deep: lab/echo } }\n',
  });
}
