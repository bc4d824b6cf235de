"""The published client, and nothing else: prints what it understood as one JSON object."""

import json
import os

import anthropic

url, key = os.environ["NESTOR_URL"], os.environ["NESTOR_KEY"]
writer, caller = os.environ["WRITER"], os.environ["CALLER"]
client = anthropic.Anthropic(base_url=f"{url}/router", api_key=key, max_retries=0)
messages = [{"role": "user", "content": "What is the capital of France?"}]
asked = {"model": writer, "messages": messages, "max_tokens": 12}
weather = {
    "name": "weather",
    "description": "Tells the weather of a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def refusal(call):
    try:
        call()
    except anthropic.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.body["type"]]


def streamed():
    with client.messages.stream(**asked, extra_body={"temperature": 0}) as stream:
        text = "".join(stream.text_stream)
        return [text, stream.get_final_message().content[0].text]


whole = client.messages.create(**asked, extra_body={"temperature": 0})
using = {"model": caller, "max_tokens": 200, "tools": [weather]}
first = client.messages.create(**using, messages=messages)
call = next(block for block in first.content if block.type == "tool_use")
result = {"type": "tool_result", "tool_use_id": call.id, "content": "sun"}
told = client.messages.create(
    **using,
    messages=[
        *messages,
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [result]},
    ],
)

print(
    json.dumps(
        {
            "text": whole.content[0].text,
            "stop_reason": whole.stop_reason,
            "usage": [whole.usage.input_tokens, whole.usage.output_tokens],
            "counted": client.messages.count_tokens(model=writer, messages=messages).input_tokens,
            "streamed": streamed(),
            "call": [first.stop_reason, call.name, call.input],
            "told": told.content[0].text,
            "no_functions": refusal(lambda: client.messages.create(**asked, tools=[weather])),
            "no_key": refusal(
                lambda: anthropic.Anthropic(
                    base_url=f"{url}/router", api_key="sk-unknown", max_retries=0
                ).messages.create(**asked)
            ),
        }
    )
)
