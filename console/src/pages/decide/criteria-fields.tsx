import { Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useRef, type ReactNode, type RefObject } from 'react';
import {
  levelsMax,
  moved,
  newLevel,
  newOption,
  nextId,
  optionsMax,
  type Level,
  type Option,
} from './draft.ts';
import { RowButtons } from './row-buttons.tsx';
import { ValueField } from './value-field.tsx';

interface OptionFieldsProps {
  readonly options: readonly Option[];
  readonly onChange: (options: readonly Option[]) => void;
}

export function OptionFields({ options, onChange }: OptionFieldsProps): ReactNode {
  const addButton = useRef<HTMLButtonElement>(null);
  const replace = (option: Option) => {
    onChange(options.map((other) => (other.id === option.id ? option : other)));
  };
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Options. A description helps the engine more than anything else.
      </Text>
      {options.map((option, at) => (
        <Group key={option.id} align="flex-end" gap="xs">
          <TextInput
            label={`Option ${at + 1}`}
            flex="1 1 6rem"
            value={option.name}
            onChange={(event) => {
              replace({ ...option, name: event.currentTarget.value });
            }}
          />
          <Box flex="2 1 9rem">
            <ValueField
              label={`Description of option ${at + 1}`}
              value={option.description}
              onChange={(description) => {
                replace({ ...option, description });
              }}
            />
          </Box>
          <RowButtons
            of={`option ${at + 1}`}
            at={at}
            count={options.length}
            onMove={(to) => {
              onChange(moved(options, at, to));
            }}
            onRemove={() => {
              onChange(options.toSpliced(at, 1));
              addButton.current?.focus();
            }}
          />
        </Group>
      ))}
      <AddButton
        label="Add an option"
        buttonRef={addButton}
        isFull={options.length >= optionsMax}
        onClick={() => {
          onChange([...options, newOption(nextId(options))]);
        }}
      />
    </Stack>
  );
}

interface LevelFieldsProps {
  readonly levels: readonly Level[];
  readonly onChange: (levels: readonly Level[]) => void;
}

export function LevelFields({ levels, onChange }: LevelFieldsProps): ReactNode {
  const addButton = useRef<HTMLButtonElement>(null);
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Levels, from the lowest to the highest.
      </Text>
      {levels.map((level, at) => (
        <Group key={level.id} align="flex-end" gap="xs" wrap="nowrap">
          <Box flex="1 1 9rem">
            <ValueField
              label={`Level ${at}`}
              value={level.value}
              onChange={(value) => {
                onChange(levels.with(at, { ...level, value }));
              }}
            />
          </Box>
          <RowButtons
            of={`level ${at}`}
            at={at}
            count={levels.length}
            onMove={(to) => {
              onChange(moved(levels, at, to));
            }}
            onRemove={() => {
              onChange(levels.toSpliced(at, 1));
              addButton.current?.focus();
            }}
          />
        </Group>
      ))}
      <AddButton
        label="Add a level"
        buttonRef={addButton}
        isFull={levels.length >= levelsMax}
        onClick={() => {
          onChange([...levels, newLevel(nextId(levels))]);
        }}
      />
    </Stack>
  );
}

interface AddButtonProps {
  readonly label: string;
  /** Where the focus goes when the button that had it is removed. */
  readonly buttonRef: RefObject<HTMLButtonElement | null>;
  readonly isFull: boolean;
  readonly onClick: () => void;
}

export function AddButton({ label, buttonRef, isFull, onClick }: AddButtonProps): ReactNode {
  return (
    <Button
      ref={buttonRef}
      variant="default"
      size="compact-sm"
      leftSection={<Plus size={14} aria-hidden />}
      disabled={isFull}
      onClick={onClick}
      style={{ alignSelf: 'flex-start' }}
    >
      {label}
    </Button>
  );
}
