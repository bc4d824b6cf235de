import { Alert, Stack, Text, Title } from '@mantine/core';
import { useEffect, useMemo, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { usePrices } from '../../api/use-prices.ts';
import { CodeExamples } from '../../parts/code-examples.tsx';
import { Failure } from '../../parts/failure.tsx';
import { formatCount, formatUsd } from '../../parts/formats.ts';
import { AnswerTable, formatChange, type NamedAnswer } from './answer-table.tsx';
import { toDifferences } from './answers.ts';
import { toCode, type DecisionRequest } from './code.ts';
import { HowToCompare } from './engine-picker.tsx';
import type { Asked, Reply } from './use-ask.ts';
import { useCosts } from './use-cost.ts';

const noReplies: readonly Reply[] = [];

/** Above this many letters a page of code helps nobody. */
const codeLettersMax = 50_000;

interface Props {
  readonly api: Api;
  readonly asked: Asked;
  /** Called when answers have come and are on the page. */
  readonly onShown: () => void;
}

/** What came back, and how to ask the same without this page. */
export function AnswersView({ api, asked, onShown }: Props): ReactNode {
  const { replies, request } = asked;
  const withCosts = usePrices(api);
  const costs = useCosts(api, withCosts ? replies : noReplies);
  const names = Object.keys(replies.find(({ decision }) => decision !== null)?.decision?.answers ?? {});
  useEffect(onShown, [onShown, replies]);
  return (
    <Stack gap="sm">
      {replies.map((reply, at) => (
        <ReplyFacts
          key={at}
          reply={reply}
          isOneOfTwo={replies.length > 1}
          cost={costs.get(reply.requestId ?? '')}
        />
      ))}
      <Comparison replies={replies} />
      {names.map((name) => (
        <AnswerTable key={name} name={name} answers={answersTo(name, replies)} />
      ))}
      {names.length > 0 && <SameRequest request={request} />}
    </Stack>
  );
}

function answersTo(name: string, replies: readonly Reply[]): readonly NamedAnswer[] {
  return replies.flatMap(({ decision, model }) => {
    const answer = decision?.answers[name];
    return answer === undefined ? [] : [{ engine: model, answer }];
  });
}

interface ReplyFactsProps {
  readonly reply: Reply;
  readonly isOneOfTwo: boolean;
  readonly cost: number | undefined;
}

function ReplyFacts({ reply, isOneOfTwo, cost }: ReplyFactsProps): ReactNode {
  const { model, decision, failure, engine, tookMs } = reply;
  if (decision === null)
    return (
      <div>
        {isOneOfTwo && <Text size="sm">{model}</Text>}
        <Failure of={failure} />
      </div>
    );
  const { input_tokens: input, output_tokens: output } = decision.usage;
  return (
    <Text size="sm" className="nestor-text">
      {isOneOfTwo && `${model}: `}Engine {engine ?? 'not told'} ·{' '}
      {tookMs < 10 ? tookMs.toFixed(1) : Math.round(tookMs)} ms · {formatCount(input)} tokens in,{' '}
      {formatCount(output)} out
      {cost !== undefined && ` · ${formatUsd(cost)}`}
    </Text>
  );
}

function Comparison({ replies: [first, second] }: { readonly replies: readonly Reply[] }): ReactNode {
  const one = first?.decision ?? null;
  const other = second?.decision ?? null;
  const differences = one === null || other === null ? null : toDifferences(one, other);
  if (differences === null) return null;
  const { agreed, asked, largest } = differences;
  const engine = first?.engine ?? null;
  const isSame = engine !== null && engine === second?.engine && largest.change === 0;
  return (
    <Alert variant="outline" title={`Same likeliest answer to ${agreed} of ${asked} questions`}>
      <Text size="sm" className="nestor-text">
        {largest.change === 0
          ? 'All probabilities are equal.'
          : `Largest change: ${largest.name}, ${largest.label}: ${formatChange(largest.change)}.`}
      </Text>
      {isSame && (
        <>
          <Text size="sm">Both names lead to the same engine, {engine}.</Text>
          <HowToCompare />
        </>
      )}
    </Alert>
  );
}

function SameRequest({ request }: { readonly request: DecisionRequest }): ReactNode {
  const code = useMemo(
    () => (JSON.stringify(request).length > codeLettersMax ? null : toCode(location.origin, request)),
    [request],
  );
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        The same request as
      </Title>
      {code === null ? (
        <Text size="sm" c="dimmed">
          This request is too long to be shown as code.
        </Text>
      ) : (
        <CodeExamples examples={code} />
      )}
    </Stack>
  );
}
