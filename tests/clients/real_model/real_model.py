"""Asks a real small model in three ways and checks what must hold whatever it answers.

gateway: whole turns in-process; a call that comes out has a declared name and an object as arguments.
agent:   `stet ask` on copies of the samples; no file changes that a receipt or the history does not show.
proxy:   openai-python through `stet proxy`; a clean stream or a proper error, also where the direct stream is not clean.
"""

import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import openai

from server import ALIAS as MODEL, Server, until_it_stands

ROOT, BINARIES, WORK = sys.argv[1:4]
PHASES = sys.argv[4:] or ["gateway", "agent", "proxy"]
TURNS = int(os.environ.get("REAL_MODEL_TURNS", "30"))
# Tokens of one answer; on a slow machine a turn ends all the same.
LONGEST = int(os.environ.get("REAL_MODEL_TOKENS", "96"))
LONGEST_TURN = 600

TOOLS = [
    {"type": "function", "function": {"name": "edit", "description": "Replaces text in a file.", "parameters": {
        "type": "object", "required": ["find", "replace"],
        "properties": {"find": {"type": "string"}, "replace": {"type": "string"}}}}},
    {"type": "function", "function": {"name": "now", "description": "Tells the time.", "parameters": {
        "type": "object", "properties": {"zone": {"type": "string"}}}}},
]
WISHES = ["Replace the word red by blue with the tool edit.", "What time is it? Use the tool now.", "Say hello in one sentence.",
          "Write a long poem and put it into the file with the tool edit."]

problems = []


def say(text):
    print(text, flush=True)
    with open(os.path.join(WORK, "report.txt"), "a") as report:
        report.write(text + "\n")


def run(command, **options):
    """Status, output and messages; a process that takes too long is ended and has the status 124."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LONGEST_TURN, **options)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(), f"no end after {LONGEST_TURN} s"


def add(sums, word, count=1):
    sums[word] = sums.get(word, 0) + count


def ask_gateway(server):
    started, sums = time.time(), {}
    for number in range(TURNS):
        command = [os.path.join(BINARIES, "gateway_rig"), "turns", server.url, MODEL, "1", str(number)]

        def ask():
            status, out, messages = run(command)
            lines = [json.loads(line) for line in out.splitlines()]
            for call in (call for line in lines for call in line.get("calls", [])):
                if call["name"] not in ("edit", "now") or not isinstance(json.loads(call["arguments"]), dict):
                    problems.append(f"gateway: a broken call came out: {call}")
            return status, lines, messages

        (status, lines, messages), void = until_it_stands(server, ask)
        add(sums, "void", void) if void else None
        if status != 0 or len(lines) != 1:
            problems.append(f"gateway: turn {number} ended with {status}: {messages}")
            continue
        line = lines[0]
        add(sums, "calls" if line.get("calls") else "text" if "text" in line else f"refused: {line.get('code')}")
        for key in ("retries", "repairs"):
            for word in line.get(key, []):
                add(sums, f"{key}: {word}")
        if line.get("continuation", "not_needed") != "not_needed":
            add(sums, f"continuation {line['continuation']}")
        say(f"  {number + 1:2} {time.time() - started:5.0f} s {line.get('code') or line.get('finish')} {[call['name'] for call in line.get('calls', [])]}")
    say(f"gateway: {TURNS} turns in {time.time() - started:.0f} s: {dict(sorted(sums.items()))}")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def stet(home, *arguments):
    status, out, messages = run([os.path.join(BINARIES, "stet"), *arguments], env=dict(os.environ, STET_HOME=home))
    try:
        return status, json.loads(out)
    except ValueError:
        return status, {"raw": out + messages}


SAID = {
    "md": ["Replace the first heading by 'New title'.", "Fix every spelling mistake.", "把第一行改成「你好」。", "Delete the last line.",
           "Append the line 'The end.' at the end.", "Write three long paragraphs about the sea at the end.", "Translate it into German.", "What is in it?"],
    "xlsx": ["Set cell B2 to 120.", "Insert a row for 2024 before row 3.", "Delete column C.", "What is the sum of column B?", "Rename the sheet to Plan.",
             "Make the first row bold.", "Set every number to 1."],
    "pptx": ["Change the title of slide 1 to 'Start'.", "Delete slide 2.", "Add a slide with the title 'Thanks'.", "What is on slide 1?",
             "Replace 'the' by 'a' everywhere.", "Duplicate slide 1.", "Write notes for slide 1."],
    "docx": ["Change the first paragraph to 'Hello'.", "Add a paragraph 'Signed' at the end.", "Delete the second paragraph.", "What is it about?",
             "Replace 'shall' by 'must' everywhere.", "Add a comment to the first paragraph.", "Rewrite the whole document in simple words.", "把标题改短一些。"],
}


def plan_of_turns():
    """All turns of one kind of document after each other: the server keeps what it has read of the same beginning. Fewer turns meet all kinds too."""
    each = [SAID[kind][: -(-TURNS * len(SAID[kind]) // sum(map(len, SAID.values())))] for kind in SAID]
    return [(kind, words) for kind, said in zip(SAID, each) for words in said][:TURNS]


def ask_agent(server):
    samples = {os.path.splitext(path)[1][1:]: path for path in glob.glob(os.path.join(ROOT, "samples", "*.*")) if not path.endswith(".py")}
    plan, sums, written, started = plan_of_turns(), {}, 0, time.time()
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        os.makedirs(home)
        provider = {"id": "real", "name": "Real", "base_url": server.url, "dialect": "llamacpp", "models": [MODEL], "needs_key": False}
        with open(os.path.join(home, "settings.json"), "w") as settings:
            json.dump({"providers": [provider], "turn": {"steps": 4, "seconds": 300}}, settings)
        for number, (kind, words) in enumerate(plan):
            began = time.time()
            (status, ended, changed), void = until_it_stands(server, lambda: one_turn(home, samples[kind], folder, words))
            add(sums, "void", void) if void else None
            add(sums, ended)
            written += changed
            say(f"  {number + 1:2} {kind} {time.time() - began:4.0f} s exit {status} {ended}{' CHANGED' if changed else ''}: {words}")
        say(f"agent: {len(plan)} turns in {time.time() - started:.0f} s, {written} files changed, all shown: {dict(sorted(sums.items()))}")
        _, metrics = stet(home, "metrics", "--json")
        counted = {}
        for row in metrics.get("rows", []):
            for word, count in [("calls", row["calls"]), ("ok", row["ok"]), ("retries", row["retries_tried"]), ("continuations", row["continuations_tried"]), *row["failures"].items()]:
                add(counted, word, count)
        say(f"agent counters: {dict(sorted(counted.items()))}")


def one_turn(home, sample, folder, words):
    """A turn on a fresh copy; whatever the model said, a change must be shown and the file must be whole."""
    kind = sample.rsplit(".", 1)[-1]
    path = os.path.join(tempfile.mkdtemp(dir=folder), f"document.{kind}")
    shutil.copy(sample, path)
    before = digest(path)
    known = stet(home, "history", path, "--json")[1].get("content_rev", 0)
    status, answer = stet(home, "ask", path, words, "--model", f"real/{MODEL}", "--yes", "--json")
    changed = digest(path) != before
    receipts = [receipt for receipt in answer.get("receipts", []) if receipt.get("status") == "committed"]
    shown = stet(home, "history", path, "--json")[1].get("content_rev", 0) > known
    ended = "ok" if answer.get("ok") else answer.get("error", {}).get("cause") or answer.get("error", {}).get("code") or "no JSON"
    if ended == "no JSON":
        problems.append(f"agent: {words!r} gave no JSON answer (exit {status}): {answer}")
    if changed and not (receipts or (not answer.get("ok") and shown)):
        problems.append(f"agent: {kind} changed without a receipt: {words!r} {answer}")
    if receipts and not changed:
        problems.append(f"agent: a receipt says committed and the file is the same: {words!r} {answer}")
    if changed and not stet(home, "verify", path, "--json")[1].get("ok"):
        problems.append(f"agent: {kind} is damaged after {words!r}")
    return status, ended, changed


def stream(client, words, limit, forced=None):
    """Collects a stream as strict accumulators do: what is repeated is glued together."""
    text, finish, calls = "", None, {}
    choice = {"tool_choice": {"type": "function", "function": {"name": forced}}} if forced else {}
    chunks = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": words}], tools=TOOLS, max_tokens=limit, stream=True, **choice)
    for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                seen = calls.setdefault(call.index, {"name": "", "arguments": ""})
                seen["name"] += (call.function.name if call.function else None) or ""
                seen["arguments"] += (call.function.arguments if call.function else None) or ""
    return text, finish, list(calls.values())


def faults(finish, calls):
    found = []
    for call in calls:
        if call["name"] not in ("edit", "now"):
            found.append("name")
        try:
            if not isinstance(json.loads(call["arguments"]), dict):
                found.append("no object")
        except ValueError:
            found.append("no JSON")
    if finish is None:
        found.append("no finish reason")
    return found


def ask_proxy(server):
    env = dict(os.environ, STET_UPSTREAM_KEY="none")
    command = [os.path.join(BINARIES, "stet"), "proxy", "--upstream", server.url, "--token", "real-token"]
    proxy = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    try:
        base = next(line for line in proxy.stderr if line.startswith("listening on ")).split()[-1]
        ways = {"direct": openai.OpenAI(base_url=server.url, api_key="none", timeout=300, max_retries=0),
                "proxy": openai.OpenAI(base_url=base, api_key="real-token", timeout=300, max_retries=0)}
        for name, client in ways.items():
            sums, started = {}, time.time()
            for number in range(TURNS):
                kinds, void = until_it_stands(server, lambda: one_request(name, client, number))
                for kind in kinds + ["void"] * void:
                    add(sums, kind)
            say(f"openai-python {name}: {TURNS} requests in {time.time() - started:.0f} s: {dict(sorted(sums.items()))}")
        helped = sum(until_it_stands(server, lambda: one_helped(ways["proxy"], number))[0] for number in range(6))
        say(f"openai-python .stream() through the proxy: {helped} of 6 clean or a proper error")
        metrics = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(base.removesuffix("/v1") + "/metrics").read().decode()
        say("proxy counters:\n" + "".join(f"  {line}\n" for line in metrics.splitlines() if not line.startswith("#")))
    finally:
        proxy.send_signal(2)
        proxy.wait(timeout=20)


def one_request(name, client, number):
    words, limit = WISHES[number % len(WISHES)], [24, 64, 96][number % 3]
    try:
        # Left to itself so small a model hardly ever calls a tool.
        _, finish, calls = stream(client, words, limit, "edit" if number % 2 else None)
    except openai.OpenAIError as error:
        return [f"error {getattr(error, 'code', None) or type(error).__name__}"]
    bad = faults(finish, calls)
    if bad and name == "proxy":
        problems.append(f"proxy: {bad} came through: {words!r} {calls}")
    return sorted(set(bad)) or [f"clean {finish}" + (" with calls" if calls else "")]


def one_helped(client, number):
    try:
        with client.chat.completions.stream(model=MODEL, messages=[{"role": "user", "content": WISHES[number % 4]}], tools=TOOLS, max_tokens=64) as events:
            for _ in events:
                pass
            choice = events.get_final_completion().choices[0]
    except openai.OpenAIError:
        return True
    bad = faults(choice.finish_reason, [{"name": call.function.name, "arguments": call.function.arguments} for call in choice.message.tool_calls or []])
    if bad:
        problems.append(f"proxy: the helper got {bad}")
    return not bad


def main():
    open(os.path.join(WORK, "report.txt"), "w").close()
    open(os.path.join(WORK, "server.log"), "w").close()
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"
    server = Server(WORK, say, LONGEST)
    try:
        for name, phase in (("gateway", ask_gateway), ("agent", ask_agent), ("proxy", ask_proxy)):
            if name in PHASES:
                phase(server)
    finally:
        server.stop()
    for problem in problems:
        say("FAILED " + problem)
    say(f"the server fell {len(server.falls)} times {server.falls}")
    say("nothing broken came out" if not problems else f"{len(problems)} failures")
    sys.exit(1 if problems else 0)


main()
