import { Button, Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { Failure } from '../../parts/failure.tsx';
import { defaultEngine } from './engine-names.ts';
import { useEngineNames } from './use-engine-names.ts';
import type { UsedWork } from './use-work.ts';

interface EnginePickerProps extends Pick<UsedWork, 'work' | 'change'> {
  readonly api: Api;
  /** A table is asked of one engine. */
  readonly canCompare: boolean;
}

/** Which engine answers, and which other one beside it. */
export function EnginePicker({ api, work, change, canCompare }: EnginePickerProps): ReactNode {
  const { names, isLoading, failure, load } = useEngineNames(api);
  const { engine, otherEngine } = work;
  if (names === null)
    return (
      <Stack gap="xs" align="flex-start">
        {(engine !== defaultEngine || (canCompare && otherEngine !== null)) && (
          <Text size="sm">
            Asks {engine}
            {canCompare && otherEngine !== null && ` and ${otherEngine}`}.
          </Text>
        )}
        <Button variant="default" size="compact-sm" loading={isLoading} onClick={load}>
          {canCompare ? 'Choose an engine, or compare two' : 'Choose an engine'}
        </Button>
        <Failure of={failure} />
      </Stack>
    );
  const known = names.includes(engine) ? names : [engine, ...names];
  const others = known.filter((name) => name !== engine);
  return (
    <Stack gap="xs">
      <Group grow align="flex-start">
        <NativeSelect
          label="Engine"
          data={[...known]}
          value={engine}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            change({ engine: chosen, otherEngine: otherEngine === chosen ? null : otherEngine });
          }}
        />
        {canCompare && others.length > 0 && (
          <NativeSelect
            label="Compare with"
            data={[{ value: '', label: 'Nothing' }, ...others]}
            value={otherEngine !== null && others.includes(otherEngine) ? otherEngine : ''}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              change({ otherEngine: chosen === '' ? null : chosen });
            }}
          />
        )}
      </Group>
      {canCompare && others.length === 0 && <HowToCompare />}
    </Stack>
  );
}

/** For servers whose names all lead to one engine. */
export function HowToCompare(): ReactNode {
  return (
    <Text size="sm" c="dimmed">
      To compare, add a second engine to <Code>decisions.compare</Code> in the configuration of this server.
    </Text>
  );
}
