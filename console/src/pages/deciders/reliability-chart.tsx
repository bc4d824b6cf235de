import { Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { formatPercent } from './about.ts';
import type { ReliabilityPoint } from './wire.ts';

interface Props {
  readonly name: string;
  readonly points: readonly ReliabilityPoint[];
}

const side = 220;
const margin = 46;
const ticks = [0, 0.5, 1];
/** Of the largest point, by area. */
const radiusMax = 9;
const radiusMin = 3;

const x = (share: number): number => margin + share * side;
const y = (share: number): number => 10 + (1 - share) * side;

/** How often answers of about one confidence are right: on the line, confidence means what it says. */
export function ReliabilityChart({ name, points }: Props): ReactNode {
  const most = Math.max(...points.map(({ examples }) => examples));
  return (
    <Stack gap={4}>
      <Title order={5} size="sm">
        Calibration
      </Title>
      <Group align="flex-start" gap="md">
        <svg
          aria-hidden
          width={side + margin + 24}
          height={side + margin + 14}
          style={{ maxWidth: '100%', color: 'var(--mantine-color-dimmed)' }}
          fontSize={11}
          fill="currentColor"
        >
          {ticks.map((tick) => (
            <g key={tick} stroke="var(--mantine-color-default-border)">
              <line x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
              <line x1={x(tick)} x2={x(tick)} y1={y(0)} y2={y(1)} />
            </g>
          ))}
          {ticks.map((tick) => (
            <g key={tick}>
              <text x={x(tick)} y={y(0) + 14} textAnchor="middle">
                {tick * 100} %
              </text>
              {tick > 0 && (
                <text x={margin - 5} y={y(tick) + 4} textAnchor="end">
                  {tick * 100} %
                </text>
              )}
            </g>
          ))}
          <text x={x(0.5)} y={y(0) + 30} textAnchor="middle">
            confidence
          </text>
          <text transform={`translate(11 ${y(0.5)}) rotate(-90)`} textAnchor="middle">
            rightly answered
          </text>
          <line x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} stroke="currentColor" strokeDasharray="4 4" />
          <polyline
            points={points.map(({ confidence, accuracy }) => `${x(confidence)},${y(accuracy)}`).join(' ')}
            fill="none"
            stroke="var(--mantine-primary-color-filled)"
            strokeWidth={1.5}
          />
          {points.map(({ confidence, accuracy, examples }) => (
            <circle
              key={confidence}
              cx={x(confidence)}
              cy={y(accuracy)}
              r={Math.max(radiusMin, radiusMax * Math.sqrt(examples / most))}
              fill="var(--mantine-primary-color-filled)"
              fillOpacity={0.75}
            />
          ))}
        </svg>
        <Text size="sm" c="dimmed" maw="22rem" pt="xs">
          Each point holds the answers of about one confidence; the larger it is, the more there are. On the
          dashed line 70 % confidence means that 70 % are right. Below it, answers are less often right than
          they claim.
        </Text>
      </Group>
      <ScrollingTable
        isHidden
        caption={`Calibration, ${name}`}
        headings={numbers('Confidence', 'Rightly answered', 'Examples')}
      >
        {points.map(({ confidence, accuracy, examples }) => (
          <Table.Tr key={confidence}>
            <Table.Td>{formatPercent(confidence)}</Table.Td>
            <Table.Td>{formatPercent(accuracy)}</Table.Td>
            <Table.Td>{formatCount(examples)}</Table.Td>
          </Table.Tr>
        ))}
      </ScrollingTable>
    </Stack>
  );
}
