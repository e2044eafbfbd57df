// The MCP inspector's command line against `stet mcp`: it lists what there is, calls tools, and its validator takes every schema.
// Run by `tests/clients_mcp/run inspector`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const require = createRequire(import.meta.url);
const here = path.dirname(new URL(import.meta.url).pathname);
const scope = path.join(here, "node_modules", "@modelcontextprotocol");
const inspector = path.join(scope, "inspector-cli", "build", "cli.js");
// It reads its version from the package that it is usually a part of.
fs.writeFileSync(path.join(scope, "package.json"), JSON.stringify({ name: "inspector", version: "0.0.0" }));

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-inspector-")));
const root = path.join(folder, "root");
fs.mkdirSync(root);
fs.writeFileSync(path.join(root, "notes.md"), "# Notes\n\nalpha\n");

function inspect(...words) {
  const command = [inspector, "--cli", process.env.STET, "mcp", "--root", root, ...words];
  const env = { ...process.env, STET_HOME: path.join(folder, "home") };
  const stdio = ["ignore", "pipe", "pipe"];
  return JSON.parse(execFileSync(process.execPath, command, { env, stdio, timeout: 60_000 }).toString());
}

function call(tool, values) {
  const words = Object.entries(values).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
  return inspect("--method", "tools/call", "--tool-name", tool, ...words);
}

try {
  const { tools } = inspect("--method", "tools/list");
  const names = tools.map((tool) => tool.name).sort();
  const wanted = ["file_edit", "file_history", "file_list", "file_read", "file_restore", "file_search", "file_write"];
  assert.deepEqual(names, wanted);
  const { Ajv } = require("ajv");
  const ajv = new Ajv({ strict: true, strictTuple: false, allowUnionTypes: true, allErrors: true });
  for (const tool of tools) {
    for (const schema of [tool.inputSchema, tool.outputSchema].filter(Boolean)) {
      assert.equal(schema.type, "object", tool.name);
      ajv.compile(schema);
    }
  }
  assert.equal(inspect("--method", "resources/list").resources[0].name, "notes.md");
  assert.ok(inspect("--method", "resources/templates/list").resourceTemplates.length > 0);
  assert.ok(inspect("--method", "prompts/list").prompts.length > 0);

  const read = call("file_read", { path: "notes.md" });
  assert.ok(!read.isError && read.content[0].text.includes("alpha"));
  const { file_id, content_rev } = read.structuredContent;
  const ops = JSON.stringify([{ op: "replace_text", find: "alpha", replace: "beta" }]);
  const staged = call("file_edit", { file_id, expected_content_rev: content_rev, ops });
  assert.equal(staged.structuredContent.status, "staged", JSON.stringify(staged));
  const conflict = call("file_edit", { file_id, expected_content_rev: 7, ops });
  assert.ok(conflict.isError && conflict.content[0].text.includes("content_rev_conflict"), JSON.stringify(conflict));
  const outside = call("file_read", { path: "/etc/passwd" });
  assert.ok(outside.isError && outside.content[0].text.includes("path_not_allowed"), JSON.stringify(outside));
  assert.equal(fs.readFileSync(path.join(root, "notes.md"), "utf8"), "# Notes\n\nalpha\n");
  console.log(`inspector: ${tools.length} tools, their schemas, resources, prompts, four calls`);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
