import { ActionIcon, Group } from '@mantine/core';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import type { ReactNode } from 'react';

interface RowButtonsProps {
  /** What is moved or removed: "question refund". */
  readonly of: string;
  readonly at: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
}

/** Order without dragging, which no keyboard can. */
export function RowButtons({ of, at, count, onMove, onRemove }: RowButtonsProps): ReactNode {
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        variant="default"
        aria-label={`Move ${of} up`}
        disabled={at === 0}
        onClick={() => {
          onMove(at - 1);
        }}
      >
        <ArrowUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={`Move ${of} down`}
        disabled={at === count - 1}
        onClick={() => {
          onMove(at + 1);
        }}
      >
        <ArrowDown size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={`Remove ${of}`} onClick={onRemove}>
        <X size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
