import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { readHealth, type Checks } from './read-health.ts';

const states = {
  ok: { label: 'works', icon: CircleCheck },
  degraded: { label: 'works with less', icon: CircleAlert },
  down: { label: 'is down', icon: CircleAlert },
  not_configured: { label: 'not configured', icon: CircleDashed },
} as const;

/** The checks of `/readyz`. It answers 503 while one is down, which is not a failure here. */
export function Health(): ReactNode {
  const { api } = useSession();
  const [checks, setChecks] = useState<Checks | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      try {
        const found = await readHealth(api, abort.signal);
        setChecks(found);
        setFailure(null);
      } catch (error) {
        if (!abort.signal.aborted) setFailure(error);
      }
    };
    void load();
    return () => {
      abort.abort();
    };
  }, [api, round]);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Health
        </Title>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            setRound(round + 1);
          }}
        >
          Look again
        </Button>
      </Group>
      <Failure of={failure} />
      <SimpleGrid cols={{ base: 2, md: 5 }} role="status">
        {Object.entries(checks ?? {}).map(([part, state]) => {
          const { label, icon: Icon } = states[state];
          return (
            <Paper key={part} withBorder p="sm">
              <Group gap="xs" wrap="nowrap">
                <Icon size={18} style={{ flexShrink: 0 }} aria-hidden />
                <div>
                  <Text fw={600}>{part}</Text>
                  <Text size="sm">{label}</Text>
                </div>
              </Group>
            </Paper>
          );
        })}
      </SimpleGrid>
    </Stack>
  );
}
