"""The published client, and nothing else: prints what it understood as one JSON object."""

import asyncio
import json
import os
from typing import Literal

import openai
from pydantic import BaseModel

url, key = os.environ["NESTOR_URL"], os.environ["NESTOR_KEY"]
writer, caller = os.environ["WRITER"], os.environ["CALLER"]
at = {"base_url": f"{url}/router/v1", "api_key": key, "max_retries": 0}
client = openai.OpenAI(**at)
asked = {
    "model": writer,
    "messages": [{"role": "user", "content": "What is the capital of France?"}],
    "max_tokens": 12,
    "temperature": 0,
}
weather = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


class City(BaseModel):
    size: Literal["small", "large"]
    old: bool


def refusal(call):
    try:
        call()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.param]


def streamed():
    text, usage = "", None
    for chunk in client.chat.completions.create(
        **asked, stream=True, stream_options={"include_usage": True}
    ):
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        usage = chunk.usage or usage
    return {"text": text, "tokens": usage.total_tokens}


async def at_once():
    async with openai.AsyncOpenAI(**at) as other:
        calls = (other.chat.completions.create(**asked) for _ in range(2))
        return [reply.choices[0].message.content for reply in await asyncio.gather(*calls)]


def responses_streamed():
    with agent.responses.stream(
        model=writer, input="Hello", max_output_tokens=8, temperature=0
    ) as stream:
        deltas = "".join(e.delta for e in stream if e.type == "response.output_text.delta")
        return [deltas, stream.get_final_response().output_text]


whole = client.chat.completions.create(**asked)
agent = openai.OpenAI(base_url=f"{url}/v1", api_key=key, max_retries=0)
function = {"type": "function", "name": "weather", "strict": True, "parameters": weather}
called = agent.responses.create(model=caller, input="Weather?", tools=[function])
call = next(item for item in called.output if item.type == "function_call")
told = agent.responses.create(
    model=caller,
    tools=[function],
    previous_response_id=called.id,
    input=[{"type": "function_call_output", "call_id": call.call_id, "output": "sun"}],
)
parsed = client.chat.completions.parse(
    **{**asked, "max_tokens": 60}, response_format=City
)

print(
    json.dumps(
        {
            "models": [model.id for model in client.models.list()],
            "whole": {"text": whole.choices[0].message.content, "tokens": whole.usage.total_tokens},
            "finish": whole.choices[0].finish_reason,
            "streamed": streamed(),
            "at_once": asyncio.run(at_once()),
            "parsed": parsed.choices[0].message.parsed.model_dump(),
            "responses": responses_streamed(),
            "call": [call.name, json.loads(call.arguments)],
            "told": told.output_text,
            "no_functions": refusal(
                lambda: client.chat.completions.create(
                    **asked,
                    tools=[{"type": "function", "function": {"name": "weather", "parameters": weather}}],
                )
            ),
            "no_key": refusal(
                lambda: openai.OpenAI(**{**at, "api_key": "sk-unknown"}).chat.completions.create(**asked)
            ),
            "no_model": refusal(
                lambda: client.chat.completions.create(**{**asked, "model": "home/none"})
            ),
        }
    )
)
