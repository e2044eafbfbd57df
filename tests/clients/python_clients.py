"""openai-python (raw chunks, and the `.stream()` helper) and litellm through the proxy; one JSON line per request."""

import json
import logging
import os
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

import litellm  # noqa: E402
import openai  # noqa: E402

litellm.suppress_debug_info = True
litellm.telemetry = False

plan = json.load(open(sys.argv[1]))
lock = threading.Lock()


def report(client, model, **what):
    with lock:
        print(json.dumps({"client": client, "model": model, **what}), flush=True)


def parsed(calls):
    out = []
    for call in calls:
        try:
            arguments = json.loads(call["arguments"])
        except ValueError:
            arguments = call["arguments"]
        out.append({"name": call["name"], "arguments": arguments})
    return out


def settings(request, model, with_tools=True):
    body = {"model": model, "messages": [{"role": "user", "content": "go"}]}
    if with_tools:
        body["tools"] = plan["tools"]
    if request.get("max_tokens"):
        body["max_tokens"] = request["max_tokens"]
    return body


def sdk(request):
    return openai.OpenAI(base_url=request["base"], api_key=plan["token"], timeout=60)


def raw(request, model, with_tools=True):
    text, finish, calls = "", None, {}
    stream = sdk(request).chat.completions.create(**settings(request, model, with_tools), stream=True)
    for chunk in stream:
        choice = chunk.choices[0]
        text += choice.delta.content or ""
        finish = choice.finish_reason or finish
        for call in choice.delta.tool_calls or []:
            seen = calls.setdefault(call.index, {"name": "", "arguments": ""})
            seen["name"] += call.function.name or ""
            seen["arguments"] += call.function.arguments or ""
    if finish is None:
        raise RuntimeError("the stream ended without a finish reason")
    return {"text": text, "calls": parsed([calls[index] for index in sorted(calls)]), "finish": finish}


def helper(request, model):
    with sdk(request).chat.completions.stream(**settings(request, model)) as stream:
        for _ in stream:
            pass
        choice = stream.get_final_completion().choices[0]
    calls = [{"name": call.function.name, "arguments": call.function.arguments} for call in choice.message.tool_calls or []]
    return {"text": choice.message.content, "calls": parsed(calls), "finish": choice.finish_reason}


def through_litellm(request, model):
    body = settings(request, model)
    body["model"] = "openai/" + model
    stream = litellm.completion(**body, stream=True, api_base=request["base"], api_key=plan["token"], timeout=60)
    choice = litellm.stream_chunk_builder(list(stream)).choices[0]
    calls = [{"name": call.function.name, "arguments": call.function.arguments} for call in choice.message.tool_calls or []]
    return {"text": choice.message.content, "calls": parsed(calls), "finish": choice.finish_reason}


def run(client, ask, request, model):
    try:
        report(client, model, ok=ask(request, model))
    except openai.OpenAIError as error:
        report(client, model, error=f"{type(error).__name__}: {error}"[:300])
    except Exception as error:  # whatever a client raises is its error; what it is is checked by kind below
        is_own = type(error).__module__.split(".")[0] in ("openai", "litellm")
        if not is_own:
            report(client, model, ok={"text": f"{type(error).__name__}: {error}", "calls": [{"name": "", "arguments": None}], "finish": ""})
        else:
            report(client, model, error=f"{type(error).__name__}: {error}"[:300])


with ThreadPoolExecutor(8) as pool:
    for client, ask in (("openai-python raw", raw), ("openai-python stream()", helper), ("litellm", through_litellm)):
        suffix = "@" + client.replace(" ", "").replace("()", "")
        for request in plan["requests"]:
            pool.submit(run, client, ask, request, request["model"] + suffix)
        hello = {"base": plan["plain"], "max_tokens": None}
        plain = (lambda request, model: raw(request, model, with_tools=False)) if client != "litellm" else ask
        pool.submit(run, client, plain, hello, "hello" + suffix)
