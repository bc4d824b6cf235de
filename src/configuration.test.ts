import assert from 'node:assert/strict';
import { test } from 'node:test';
import { featureConfigs } from './configuration.ts';
import type { FeatureConfig } from './kernel/config.ts';
import { features } from './server.ts';

/** Functions as their source: two of one declaration are not the same object. */
const shown = (configs: readonly FeatureConfig[]): unknown =>
  JSON.parse(
    JSON.stringify(configs, (_, value: unknown) => (typeof value === 'function' ? value.toString() : value)),
  );

test('the configuration that commands load is that of the features of a server, in their order', () => {
  const declared = features.flatMap(({ config }) => config ?? []);
  assert.ok(declared.length > 10);
  assert.deepEqual(shown(featureConfigs), shown(declared));
});
