"""Works on documents through `stet mcp` with the official Python SDK; the first thing that is not as it must be ends the run."""

import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile

import anyio
import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

STET = os.environ["STET"]
DONE = []


def check(what, holds, seen=None):
    if not holds:
        sys.exit(f"FAIL python: {what}: {seen!r}")
    DONE.append(what)


class Place:
    """A folder to be served, one that is not, and a Stet home."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.inside = self.folder / "in"
        self.outside = self.folder / "out"
        self.inside.mkdir()
        self.outside.mkdir()
        self.environment = {**os.environ, "STET_HOME": str(self.folder / "home")}

    def parameters(self, *arguments):
        return StdioServerParameters(command=STET, args=["mcp", *arguments], env=self.environment, cwd=self.inside)

    def rooted(self, *arguments):
        return self.parameters("--root", str(self.inside), *arguments)

    def cli(self, *arguments):
        return subprocess.run([STET, *arguments], env=self.environment, cwd=self.inside, capture_output=True, text=True)


async def answer(client, tool, arguments, **more):
    result = await client.call_tool(tool, arguments, **more)
    value = result.structured_content
    check(f"{tool}: isError says the opposite of ok", result.is_error == (not value["ok"]), value)
    return value


def replace(file, revision, find, text):
    op = {"op": "replace_text", "find": find, "replace": text}
    return {"file_id": file, "expected_content_rev": revision, "ops": [op]}


async def whole_edit(place):
    notes = place.inside / "notes.md"
    notes.write_text("# Title\n\nalpha\nbeta\n")
    async with Client(place.rooted()) as client:
        check("server info", client.server_info.name == "stet", client.server_info)
        check("instructions", "file_list" in client.instructions, client.instructions)
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        check("seven tools", len(tools) == 7, list(tools))
        check("reading is marked", tools["file_read"].annotations.read_only_hint is True)
        listed = await answer(client, "file_list", {})
        file, revision = listed["files"][0]["file_id"], listed["files"][0]["content_rev"]
        outline = await answer(client, "file_read", {"file_id": file})
        check("outline", outline["nodes"][3]["text"] == "beta", outline)
        staged = await answer(client, "file_edit", replace(file, revision, "beta", "gamma"))
        check("staged", staged["status"] == "staged" and "beta" in notes.read_text(), staged)
        accepted = place.cli("history", "notes.md", "--accept", staged["proposal_id"])
        check("accepted by the user", accepted.returncode == 0 and "gamma" in notes.read_text(), accepted)
        conflict = await answer(client, "file_edit", replace(file, revision, "gamma", "delta"))
        check("conflict", conflict["error"]["code"] == "content_rev_conflict", conflict)
        check("conflict tells the revision", conflict["content_rev"] == revision + 1, conflict)
        refused = await answer(client, "file_edit", replace(file, revision + 1, "nowhere", "x"))
        check("refusal", refused["error"]["code"] == "zero_matches", refused)
        outside = await answer(client, "file_read", {"path": "../out/secret.md"})
        check("fence", outside["error"]["code"] == "path_not_allowed", outside)
        try:
            await client.call_tool("no_such_tool", {})
            check("unknown tool", False)
        except MCPError as error:
            check("unknown tool", error.code == types.INVALID_PARAMS, error)


async def committed_and_cancelled(place):
    long = place.inside / "long.md"
    long.write_text("words that repeat and repeat\n" * 300_000)
    before = long.read_bytes()
    async with Client(place.rooted("--commit")) as client:
        outline = await answer(client, "file_read", {"path": "long.md"})
        op = {"op": "replace_text", "find": "repeat and", "replace": "go on and", "occurrence": "all"}
        edit = {"file_id": outline["file_id"], "expected_content_rev": outline["content_rev"], "ops": [op]}
        with anyio.move_on_after(0.05) as scope:
            await client.call_tool("file_edit", edit)
        check("cancelled by the client", scope.cancelled_caught)
        await anyio.sleep(1)
        check("a cancelled edit writes nothing", long.read_bytes() == before)
        again = await answer(client, "file_read", {"path": "long.md", "range": "1-2"})
        check("and makes no revision", again["content_rev"] == outline["content_rev"], again["content_rev"])
        made = await answer(client, "file_write", {"path": "made.docx", "text": "# Heading\n\nWords.\n"})
        check("a new document", made["status"] == "committed", made)
        told = []
        await answer(client, "file_search", {"query": "heading"}, progress_callback=lambda *step: note(told, step))
        check("progress", len(told) >= 1, told)
    long.unlink()


async def note(told, step):
    told.append(step)


async def resources_and_prompts(place):
    notes = place.inside / "notes.md"
    news = []

    async def heard(message):
        news.append(message)

    async with Client(place.rooted("--commit"), message_handler=heard) as client:
        listed = (await client.list_resources()).resources
        uri = next(str(resource.uri) for resource in listed if resource.name == "notes.md")
        text = (await client.read_resource(uri)).contents[0].text
        check("a resource is the text", text == notes.read_text(), text)
        templates = (await client.list_resource_templates()).resource_templates
        check("templates", len(templates) == 3, templates)
        history = (await client.read_resource(f"{uri}/history")).contents[0].text
        check("history resource", "snap-" in history, history)
        prompts = (await client.list_prompts()).prompts
        check("prompts", {prompt.name for prompt in prompts} == {"edit_document", "what_changed"}, prompts)
        prompt = await client.get_prompt("what_changed", {"file": "notes.md"})
        check("prompt", "notes.md" in prompt.messages[0].content.text, prompt)
        await anyio.sleep(1.5)
        (place.inside / "late.txt").write_text("new\n")
        for _ in range(100):
            if any(isinstance(message, types.ResourceListChangedNotification) for message in news):
                break
            await anyio.sleep(0.1)
        check("list changed", any(isinstance(message, types.ResourceListChangedNotification) for message in news), news)


async def roots(place):
    (place.outside / "b.md").write_text("b\n")
    told = [place.outside]

    async def list_roots(_context):
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()) for folder in told])

    async with Client(place.parameters(), list_roots_callback=list_roots, mode="legacy") as client:
        listed = await answer(client, "file_list", {})
        check("the client's roots", [file["path"] for file in listed["files"]] == [str(place.outside / "b.md")], listed)
        refused = await answer(client, "file_read", {"path": str(place.inside / "notes.md")})
        check("and nothing else", refused["error"]["code"] == "path_not_allowed", refused)
        told[:] = [place.inside]
        await client.send_roots_list_changed()
        await anyio.sleep(0.5)
        listed = await answer(client, "file_list", {})
        check("roots changed", all(str(place.inside) in file["path"] for file in listed["files"]), listed)


async def over_http(place):
    command = [STET, "mcp", "--http", "0", "--root", str(place.inside), "--token", "s3cret"]
    server = subprocess.Popen(command, env=place.environment, stderr=subprocess.PIPE, text=True)
    try:
        url = server.stderr.readline().strip().removeprefix("listening on ")
        async with httpx2.AsyncClient(headers={"Authorization": "Bearer s3cret"}) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                listed = await answer(client, "file_list", {})
                check("files over HTTP", len(listed["files"]) >= 1, listed)
        async with httpx2.AsyncClient() as http:
            response = await http.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
            check("no token, no service", response.status_code == 401, response.status_code)
    finally:
        server.terminate()
        server.wait()


async def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        for step in [whole_edit, committed_and_cancelled, resources_and_prompts, roots, over_http]:
            await step(place)
    print(f"python: {len(DONE)} checks passed")


asyncio.run(main())
