import assert from 'node:assert/strict';
import { describeRunner } from './suite.ts';

describeRunner('pyodide', {
  async 'bash is not offered and is refused'({ run, runner }) {
    assert.deepEqual(runner.languages, ['python']);
    await assert.rejects(run('echo hi', { language: 'bash' }), { code: 'invalid_value' });
  },
});
