import { Group, Image, Skeleton } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { formatPercent } from './about.ts';
import { kinds } from './draft.ts';
import { pathOf, type Guarantee, type Kind } from './wire.ts';

interface Props {
  readonly name: string;
  readonly guarantees: readonly Guarantee[];
}

/** Coverage against error of each guarantee that keeps what its fit saw; drawn by the server, as the command line has it. */
export function CoverageCharts({ name, guarantees }: Props): ReactNode {
  const charts = guarantees.flatMap(({ curves, max_error: bound }, place) =>
    kinds.filter((kind) => curves?.[kind] !== undefined).map((kind) => ({ kind, place, bound })),
  );
  return (
    charts.length > 0 && (
      <Group gap="md" align="flex-start">
        {charts.map(({ kind, place, bound }) => (
          <Chart
            key={`${place} ${kind}`}
            path={`${pathOf(name)}/coverage`}
            query={{ kind, guarantee: place }}
            alt={`Error over coverage: ${kind}, at most ${formatPercent(bound)} wrong`}
          />
        ))}
      </Group>
    )
  );
}

interface ChartProps {
  readonly path: string;
  readonly query: { readonly kind: Kind; readonly guarantee: number };
  readonly alt: string;
}

/** An image that needs the key: it is fetched, and shown from memory. */
function Chart({ path, query: { kind, guarantee }, alt }: ChartProps): ReactNode {
  const { api } = useSession();
  const [source, setSource] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    let made: string | null = null;
    const load = async (): Promise<void> => {
      try {
        const blob = await api.download({ path, query: { kind, guarantee }, signal: abort.signal });
        if (abort.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setSource(made);
      } catch (error) {
        if (!abort.signal.aborted) setFailure(error);
      }
    };
    void load();
    return () => {
      abort.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [api, path, kind, guarantee]);
  if (failure !== null) return <Failure of={failure} />;
  if (source === null) return <Skeleton h={240} w={320} aria-label="Loading a chart" />;
  return <Image src={source} alt={alt} maw={640} w="100%" fit="contain" />;
}
