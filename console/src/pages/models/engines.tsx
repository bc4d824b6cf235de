import { Box, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Api, Request } from '../../api/call.ts';
import { readOpenapi } from '../../api/openapi.ts';
import { permittedModels } from '../../api/permitted-models.ts';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';

interface Found {
  readonly what: string;
  readonly engine: string;
  readonly tookMs: number;
}

/** Asks the smallest possible question and shows the engine that answered, by the header of the answer. */
export function Engines(): ReactNode {
  const { api } = useSession();
  const [found, setFound] = useState<readonly Found[]>([]);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const ask = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      setFound(await askAll(api));
    } catch (error) {
      setFailure(error);
    }
    setBusy(false);
  };
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Engines
      </Title>
      <Group>
        <Button variant="default" loading={isBusy} onClick={() => void ask()}>
          Ask a small question of each
        </Button>
        <Text size="sm" c="dimmed">
          A few tokens each; they are in the usage.
        </Text>
      </Group>
      <Failure of={failure} />
      <Box role="status">
        <List>
          {found.map(({ what, engine, tookMs }) => (
            <List.Item key={what}>
              {what}: answered by the engine {engine} in {Math.round(tookMs)} ms
            </List.Item>
          ))}
        </List>
      </Box>
    </Stack>
  );
}

async function askAll(api: Api): Promise<Found[]> {
  const openapi = await readOpenapi(api);
  const questions: { readonly what: string; readonly request: Request }[] = permittedModels(
    openapi,
    '/v1/decisions',
  ).map((model) => ({
    what: `Decisions by ${model}`,
    request: {
      path: '/v1/decisions',
      body: {
        model,
        state: 'Hello',
        questions: { greeting: { type: 'noul', instructions: 'Is this a greeting?' } },
      },
    },
  }));
  const [model] = permittedModels(openapi, '/v1/embeddings');
  if (model !== undefined)
    questions.push({
      what: `Embeddings by ${model}`,
      request: { path: '/v1/embeddings', body: { model, input: ['Hello'] } },
    });
  const found: Found[] = [];
  for (const { what, request } of questions) {
    const startedMs = performance.now();
    const { headers } = await api.call(request);
    found.push({
      what,
      engine: headers.get('x-nestor-engine') ?? 'unknown',
      tookMs: performance.now() - startedMs,
    });
  }
  return found;
}
