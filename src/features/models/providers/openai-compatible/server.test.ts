import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { endpointOf } from '../../remote-server.ts';
import { besideVersion, deploymentOf, toHeaders } from './server.ts';

suite('addresses of a server', () => {
  test('an operation stands under the base address, whose query stays', () => {
    const expected = {
      'https://api.openai.com/v1': 'https://api.openai.com/v1/chat/completions',
      'https://api.openai.com/v1/': 'https://api.openai.com/v1/chat/completions',
      'http://127.0.0.1:8080': 'http://127.0.0.1:8080/chat/completions',
      'https://b.openai.azure.com/openai/deployments/d?api-version=7':
        'https://b.openai.azure.com/openai/deployments/d/chat/completions?api-version=7',
    };
    for (const [base, url] of Object.entries(expected))
      assert.equal(endpointOf(base, '/chat/completions'), url);
  });

  test('what stands beside the interface leaves its version out', () => {
    assert.equal(besideVersion('http://host:8000/v1', '/tokenize'), 'http://host:8000/tokenize');
    assert.equal(besideVersion('http://host/llm/v1/', '/tokenize'), 'http://host/llm/tokenize');
    assert.equal(besideVersion('http://host', '/tokenize'), 'http://host/tokenize');
  });

  test('a deployment is found in the address', () => {
    assert.equal(deploymentOf('https://b.openai.azure.com/openai/deployments/my%20d/?api-version=7'), 'my d');
    assert.equal(deploymentOf('https://api.openai.com/v1'), null);
  });

  test('keys go where the service wants them, and headers of the operator decide', () => {
    assert.deepEqual(toHeaders('k', {}, 'openai'), { authorization: 'Bearer k' });
    assert.deepEqual(toHeaders('k', {}, 'azure'), { 'api-key': 'k' });
    assert.deepEqual(toHeaders('k', { authorization: 'Bearer other' }, 'vllm'), {
      authorization: 'Bearer other',
    });
    assert.deepEqual(toHeaders(null, { 'x-a': 'b' }, 'vllm'), { 'x-a': 'b' });
  });
});
