/** Executes the Containerfile of a new project line by line: the copied files exist and suffice to start. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { capstan } from "./terminal.ts";
import { checkout } from "./walk.ts";

interface Instruction {
  readonly name: string;
  readonly words: readonly string[];
}

function parse(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [name = "", ...words] = line.split(" ");
    return { name, words };
  });
}

/** The files of a COPY pattern; builders accept a wildcard without matches. */
async function filesOf(root: string, pattern: string): Promise<string[]> {
  const found = await Array.fromAsync(glob(pattern, { cwd: root }));
  assert.ok(found.length > 0 || pattern.includes("*"), `COPY ${pattern}: the project has no such file`);
  return found;
}

/** `COPY a b ./` copies files into a folder, `COPY src ./src` copies a folder. */
async function copy(words: readonly string[], { project, workdir }: { project: string; workdir: string }) {
  const to = words.at(-1) ?? "";
  for (const pattern of words.slice(0, -1))
    for (const file of await filesOf(project, pattern))
      await cp(join(project, file), join(workdir, to, to.endsWith("/") ? basename(file) : ""), { recursive: true });
}

test("the Containerfile copies existing files that suffice to start as non-root", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-containerfile-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const made = await capstan(["init", "boxed", "--capstan", checkout], { cwd: folder });
  assert.equal(made.code, 0, made.err);
  const project = join(folder, "boxed");
  const root = join(folder, "root");
  const instructions = parse(await readFile(join(project, "Containerfile"), "utf8"));

  let workdir = root;
  let [user, entrypoint]: [string, string[]] = ["root", []];
  for (const { name, words } of instructions) {
    switch (name) {
      case "FROM":
        // Each stage starts empty; the last one counts.
        await rm(root, { recursive: true, force: true });
        await mkdir(root);
        assert.match(words[0] ?? "", /\/node:24-/, "the Node that package.json asks for");
        break;
      case "WORKDIR":
        workdir = join(root, words[0] ?? "");
        await mkdir(workdir, { recursive: true });
        break;
      case "COPY":
        if (words[0] === "--from=dependencies") {
          // The result of `npm install --omit=dev` in the stage before: this test has no registry.
          assert.equal(words[1], "/operator/node_modules");
          await symlink(join(project, "node_modules"), join(workdir, "node_modules"));
        } else {
          await copy(words, { project, workdir });
        }
        break;
      case "USER":
        user = words.join(" ");
        break;
      case "ENTRYPOINT":
        entrypoint = JSON.parse(words.join(" ")) as string[];
        break;
      case "RUN":
        assert.deepEqual(words, ["npm", "install", "--omit=dev", "--no-audit", "--no-fund"]);
        break;
      default:
        assert.fail(`nobody has tried ${name}`);
    }
  }
  assert.equal(user, "65532:65532");
  assert.equal(entrypoint[0], "node");
  const flags = ["--conditions=@capstan/source", ...entrypoint.slice(1), "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: workdir });
  assert.match(stdout, /Runs the operator boxed until it is told to stop/);
});
