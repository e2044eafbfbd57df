// licenses OUT [TRIPLE]: the notices of everything that is linked into Stet, from the lock files and the sources they name.
//
// Reads `cargo metadata` (what the window and the command line are built of, on this platform or the named one) and ui/package-lock.json (what the
// page carries). A package with neither a licence text nor a licence expression stops it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.argv[2] ?? join(root, "ui/public/third-party-notices.txt");
const isNotice = /^(licen[cs]e|copying|copyright|notice|unlicense)([-._].*)?$/i;

function run(program, args) {
  const done = spawnSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")}: ${done.stderr ?? done.error}`);
  return done.stdout;
}

function texts(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => isNotice.test(name))
    .sort()
    .flatMap((name) => {
      try {
        return [readFileSync(join(folder, name), "utf8").replace(/\r\n?/g, "\n").trim()];
      } catch {
        return []; // a folder of that name
      }
    })
    .filter((text) => text !== "");
}

function crates() {
  const host = process.argv[3] ?? /host: (\S+)/.exec(run("rustc", ["-vV"]))[1];
  const metadata = JSON.parse(run("cargo", ["metadata", "--format-version", "1", "--locked", "--filter-platform", host]));
  const packages = new Map(metadata.packages.map((each) => [each.id, each]));
  const nodes = new Map(metadata.resolve.nodes.map((each) => [each.id, each]));
  const queue = metadata.packages.filter((each) => ["stet-desktop", "stet-cli"].includes(each.name)).map((each) => each.id);
  const seen = new Set(queue);
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      // What only a build script or a test uses is not in the program.
      if (!seen.has(pkg) && kinds.some(({ kind }) => kind === null)) {
        seen.add(pkg);
        queue.push(pkg);
      }
    }
  }
  return [...seen]
    .map((id) => packages.get(id))
    .filter((each) => each.source !== null)
    .map((each) => ({ name: each.name, version: each.version, license: each.license ?? "", texts: texts(dirname(each.manifest_path)) }));
}

function modules() {
  const lock = JSON.parse(readFileSync(join(root, "ui/package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, each]) => path !== "" && !each.dev && !each.optional && !each.devOptional)
    .map(([path, each]) => ({
      name: path.replace(/^.*node_modules\//, ""),
      version: each.version,
      license: each.license ?? "",
      texts: texts(join(root, "ui", path)),
    }));
}

const all = [...crates(), ...modules()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
const silent = all.filter((each) => each.license === "" && each.texts.length === 0);
if (silent.length > 0) {
  console.error(`no licence is stated by: ${silent.map((each) => `${each.name} ${each.version}`).join(", ")}`);
  process.exit(1);
}
const byText = new Map();
for (const each of all) {
  for (const text of each.texts) byText.set(text, [...(byText.get(text) ?? []), `${each.name} ${each.version}`]);
}
const rule = "-".repeat(78);
let page = `Stet is built of these ${all.length} packages of others, under the licences they state.\n\n`;
page += all.map((each) => `${each.name} ${each.version}: ${each.license || "see its text below"}`).join("\n");
for (const [text, users] of byText) page += `\n\n${rule}\n${users.join(", ")}\n${rule}\n\n${text}`;
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, `${page}\n`);
console.log(`${all.length} packages, ${byText.size} texts: ${out}`);
