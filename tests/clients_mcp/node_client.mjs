// Works on documents through `stet mcp` with the official JavaScript SDK; the first thing that is not as it must be ends the run.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ListRootsRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const stet = process.env.STET;
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-mcp-")));
const inside = path.join(folder, "in");
const outside = path.join(folder, "out");
fs.mkdirSync(inside);
fs.mkdirSync(outside);
const environment = { ...process.env, STET_HOME: path.join(folder, "home") };
let checks = 0;

function check(what, holds, seen) {
  assert.ok(holds, `node: ${what}: ${JSON.stringify(seen)}`);
  checks += 1;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(what, holds) {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    if (holds()) return check(what, true);
    await pause(100);
  }
  check(what, false);
}

async function connected(flags, capabilities = {}, prepare = () => {}) {
  const client = new Client({ name: "node-suite", version: "1" }, { capabilities });
  prepare(client);
  await client.connect(
    new StdioClientTransport({ command: stet, args: ["mcp", ...flags], env: environment, cwd: inside }),
  );
  // The SDK keeps the tools' output schemas from here and checks each answer against its own.
  await client.listTools();
  return client;
}

async function answer(client, name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const value = result.structuredContent;
  check(`${name}: isError says the opposite of ok`, result.isError === !value.ok, value);
  return value;
}

const replace = (file, revision, find, text) => ({
  file_id: file,
  expected_content_rev: revision,
  ops: [{ op: "replace_text", find, replace: text }],
});

async function wholeEdit() {
  const notes = path.join(inside, "notes.md");
  fs.writeFileSync(notes, "# Title\n\nalpha\nbeta\n");
  const client = await connected(["--root", inside]);
  const { tools } = await client.listTools();
  check("seven tools", tools.length === 7, tools.map((tool) => tool.name));
  const listed = await answer(client, "file_list", {});
  const { file_id: file, content_rev: revision } = listed.files[0];
  const staged = await answer(client, "file_edit", replace(file, revision, "beta", "gamma"));
  check("staged", staged.status === "staged" && fs.readFileSync(notes, "utf8").includes("beta"), staged);
  const accepted = spawnSync(stet, ["history", notes, "--accept", staged.proposal_id], { env: environment });
  check("accepted by the user", accepted.status === 0 && fs.readFileSync(notes, "utf8").includes("gamma"));
  const conflict = await answer(client, "file_edit", replace(file, revision, "gamma", "delta"));
  check("conflict", conflict.error.code === "content_rev_conflict" && conflict.error.status === 409, conflict);
  const refused = await answer(client, "file_edit", replace(file, revision + 1, "nowhere", "x"));
  check("refusal", refused.error.code === "zero_matches", refused);
  const fenced = await answer(client, "file_read", { path: "../out/secret.md" });
  check("fence", fenced.error.code === "path_not_allowed", fenced);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }));
  await client.close();
}

async function cancelled() {
  const long = path.join(inside, "long.md");
  fs.writeFileSync(long, "words that repeat and repeat\n".repeat(300_000));
  const before = fs.readFileSync(long);
  const client = await connected(["--root", inside, "--commit"]);
  const outline = await answer(client, "file_read", { path: "long.md", range: "1-3" });
  const op = { op: "replace_text", find: "repeat and", replace: "go on and", occurrence: "all" };
  const edit = { file_id: outline.file_id, expected_content_rev: outline.content_rev, ops: [op] };
  const stop = new AbortController();
  setTimeout(() => stop.abort("enough"), 50);
  await assert.rejects(client.callTool({ name: "file_edit", arguments: edit }, undefined, { signal: stop.signal }));
  await pause(1000);
  check("a cancelled edit writes nothing", fs.readFileSync(long).equals(before));
  const again = await answer(client, "file_read", { path: "long.md", range: "1-3" });
  check("and makes no revision", again.content_rev === outline.content_rev, again.content_rev);
  // The SDK drops progress that arrives in one piece with the answer, so the search has something to do.
  const told = [];
  await answer(client, "file_search", { query: "nowhere to be found" }, { onprogress: (step) => told.push(step) });
  check("progress", told.length >= 1, told);
  fs.rmSync(long);
  await client.close();
}

async function resourcesAndPrompts() {
  const notes = path.join(inside, "notes.md");
  const client = await connected(["--root", inside, "--commit"]);
  let changed = 0;
  const updated = [];
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    changed += 1;
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (note) => {
    updated.push(note.params.uri);
  });
  const { resources } = await client.listResources();
  const { uri } = resources.find((resource) => resource.name === "notes.md");
  const read = await client.readResource({ uri });
  check("a resource is the text", read.contents[0].text === fs.readFileSync(notes, "utf8"), read);
  const { resourceTemplates } = await client.listResourceTemplates();
  check("templates", resourceTemplates.length === 3, resourceTemplates);
  await client.subscribeResource({ uri });
  await pause(1500);
  fs.appendFileSync(notes, "more\n");
  await until("list changed", () => changed > 0);
  await until("updated", () => updated.includes(uri));
  const { prompts } = await client.listPrompts();
  check("prompts", prompts.length === 2, prompts);
  const prompt = await client.getPrompt({
    name: "edit_document",
    arguments: { file: "notes.md", instruction: "shout" },
  });
  check("prompt", prompt.messages[0].content.text.includes("shout"), prompt);
  await client.close();
}

async function roots() {
  fs.writeFileSync(path.join(outside, "b.md"), "b\n");
  let told = [outside];
  const client = await connected([], { roots: { listChanged: true } }, (made) => {
    made.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: told.map((root) => ({ uri: pathToFileURL(root).href })),
    }));
  });
  let listed = await answer(client, "file_list", {});
  check("the client's roots", listed.files.length === 1 && listed.files[0].path.endsWith("b.md"), listed);
  const refused = await answer(client, "file_read", { path: path.join(inside, "notes.md") });
  check("and nothing else", refused.error.code === "path_not_allowed", refused);
  told = [inside];
  await client.sendRootsListChanged();
  await pause(500);
  listed = await answer(client, "file_list", {});
  check("roots changed", listed.files.every((file) => file.path.startsWith(inside)), listed);
  await client.close();
}

async function overHttp() {
  const server = spawn(stet, ["mcp", "--http", "0", "--root", inside, "--commit"], { env: environment });
  try {
    const lines = readline.createInterface({ input: server.stderr })[Symbol.asyncIterator]();
    const url = new URL((await lines.next()).value.replace("listening on ", ""));
    const token = (await lines.next()).value.replace("token: ", "");
    const client = new Client({ name: "node-suite", version: "1" });
    const headers = { Authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    await client.listTools();
    const listed = await answer(client, "file_list", {});
    const file = listed.files.find((known) => known.path.endsWith("notes.md"));
    const edit = replace(file.file_id, file.content_rev, "gamma", "epsilon");
    const receipt = await answer(client, "file_edit", edit);
    check("an edit over HTTP", receipt.status === "committed", receipt);
    await client.close();
    const stranger = new Client({ name: "stranger", version: "1" });
    await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(url)));
    const page = await fetch(url, { method: "POST", headers: { ...headers, Origin: "http://evil.example" } });
    check("no page is served", page.status === 403, page.status);
  } finally {
    server.kill();
  }
}

try {
  for (const step of [wholeEdit, cancelled, resourcesAndPrompts, roots, overHttp]) await step();
  console.log(`node: ${checks} checks passed`);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
