import assert from 'node:assert/strict';
import { assertAnswers, type NativeAnswer, type NativeResponse } from './answers.ts';
import { scriptedEngine, type ScriptedEngine } from './engines.ts';
import { ask, exampleBodies } from './examples.ts';
import { createClient, errorOf, jsonOf, type ErrorObject, type Received, type Send } from './http.ts';
import { startServer, type TestScope, type TestServer } from './server.ts';
import { assertError } from './strict.ts';

/** Refusing is switched off where limits are not what is tested. */
export const unlimited = { NESTOR_RATE_LIMITS_ENABLED: 'false' };

export const nativePaths = ['/v1/decisions', '/v1/systemone'] as const;
export const decisionPaths = [...nativePaths, '/openai/v1/decisions'] as const;
export type DecisionPath = (typeof decisionPaths)[number];

export function surfaceOf(path: DecisionPath): 'decisions' | 'systemone' {
  return path === '/v1/systemone' ? 'systemone' : 'decisions';
}

const ids = {
  '/v1/decisions': 'createDecision',
  '/v1/systemone': 'createSystemOne',
  '/openai/v1/decisions': 'createOpenAiDecision',
} as const;

export function exampleOf(path: DecisionPath): Readonly<Record<string, unknown>> {
  return exampleBodies[ids[path]] ?? {};
}

export interface DecisionServer {
  readonly server: TestServer;
  readonly engine: ScriptedEngine;
  readonly send: Send;
  readonly bearer: Readonly<Record<string, string>>;
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Received>;
  /** Answers, with every property of contract 6.5 checked. */
  readonly decide: (body: unknown, path?: string) => Promise<NativeResponse>;
  readonly answerOf: (question: unknown) => Promise<NativeAnswer>;
  /** The error of a 400, without its code, which is checked. */
  readonly refusalOf: (path: DecisionPath, body: unknown) => Promise<Omit<ErrorObject, 'code'>>;
}

/** A server with a scripted engine that sees, and what tests of decisions do with it. */
export async function openDecisions(scope: TestScope): Promise<DecisionServer> {
  const engine = scriptedEngine();
  const server = await startServer(scope, { env: unlimited, decisions: engine });
  const send = createClient(server.url);
  scope.after(() => {
    send.close();
    return Promise.resolve();
  });
  const bearer = { authorization: `Bearer ${server.key}` };

  const post: DecisionServer['post'] = (path, body, headers = bearer) =>
    send({ method: 'POST', path, body: toBytes(body), headers });
  const decide: DecisionServer['decide'] = async (body, path = '/v1/decisions') => {
    const received = await post(path, body);
    assert.equal(received.status, 200, received.text.slice(0, 300));
    const response = jsonOf<NativeResponse>(received);
    assertAnswers(JSON.parse(toBytes(body).toString()) as never, response);
    return response;
  };
  return {
    server,
    engine,
    send,
    bearer,
    post,
    decide,
    async answerOf(question) {
      const { answers } = await decide(ask(question));
      assert.ok(answers['q']);
      return answers['q'];
    },
    async refusalOf(path, body) {
      const received = await post(path, body);
      assertError(received, surfaceOf(path), 400, `${path} ${toBytes(body).toString().slice(0, 200)}`);
      const { code, ...error } = errorOf(received);
      assert.equal(code, path === '/v1/systemone' ? 400 : null);
      return error;
    },
  };
}

function toBytes(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}
