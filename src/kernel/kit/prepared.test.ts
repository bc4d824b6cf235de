import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { preparedFor, preparedOnce } from './prepared.ts';

void suite('what is prepared with the first use', () => {
  void test('is prepared once, also for those who come meanwhile', async () => {
    let times = 0;
    const first = Promise.withResolvers<string>();
    const get = preparedOnce(() => {
      times++;
      return first.promise;
    });
    assert.equal(times, 0);
    const both = Promise.all([get(), get()]);
    first.resolve('ready');
    assert.deepEqual(await both, ['ready', 'ready']);
    assert.equal(await get(), 'ready');
    assert.equal(times, 1);
  });

  void test('is tried again after a failure', async () => {
    let times = 0;
    const get = preparedOnce(async () => {
      await Promise.resolve();
      if (++times === 1) throw new Error('no file');
      return times;
    });
    await assert.rejects(Promise.all([get(), get()]), /no file/);
    assert.equal(await get(), 2);
  });
});

test('what is made of an object is made once for it, nothing included, and again for one that is equal', () => {
  const asked: object[] = [];
  const find = preparedFor((key: { readonly id: number }) => {
    asked.push(key);
    return key.id === 1 ? undefined : key.id;
  });
  const [one, two] = [{ id: 1 }, { id: 2 }];
  assert.deepEqual([one, two, one, two].map(find), [undefined, 2, undefined, 2]);
  assert.deepEqual(asked, [one, two]);
  assert.equal(find({ id: 2 }), 2);
  assert.equal(asked.length, 3);
});
