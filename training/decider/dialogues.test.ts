import assert from 'node:assert/strict';
import { test } from 'node:test';

import { wishesOf } from './dialogues.ts';

const turn = (utterance: string, ...intents: readonly string[]) => ({
  utterance,
  frames: [{ service: 'Buses_1', actions: [{ act: 'INFORM_INTENT', values: intents }] }],
});

test('a turn counts once, and only where it names one intent', () => {
  const other = {
    utterance: 'Yes.',
    frames: [{ service: 'Buses_1', actions: [{ act: 'AFFIRM', values: [] }] }],
  };
  const turns = [
    turn('A bus please', 'FindBus'),
    other,
    turn('Both', 'FindBus', 'GetRide'),
    turn('A bus please', 'FindBus'),
  ];
  assert.deepEqual(wishesOf([{ turns }, { turns }]), [['A bus please', 'FindBus']]);
});
