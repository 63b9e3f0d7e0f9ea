/** The guide about databases: its files are taken from the page, its tests pass, its commands work. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../..");
const FLAGS = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning"];

test("the files of the page are an operator whose tests pass", async (t) => {
  const page = await readFile(join(root, "docs/guide/databases.md"), "utf8");
  const folder = await mkdtemp(join(tmpdir(), "guide-databases-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const files = filesOf(page);
  const names = files.map(({ name }) => name);
  assert.deepEqual(names, ["server.ts", "adapter.ts", "main.ts", "suites.test.ts", "adapter.test.ts"]);
  for (const { name, content } of files) await writeFile(join(folder, name), content);
  const run = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, ...args], { cwd: folder, env });
    return stdout;
  };
  const commands = [...page.matchAll(/^capstan (?<words>.*)$/gmu)].map(({ groups }) =>
    (groups?.["words"] ?? "").split(" "),
  );
  assert.equal(commands.length, 4);
  for (const words of commands) {
    assert.match(await run(join(root, "apps/cli/src/main.ts"), ...words), /Ledger/u, words.join(" "));
  }
  assert.match(await run("--test", "--test-reporter=tap", "suites.test.ts", "adapter.test.ts"), /^# fail 0$/mu);
});

/** Blocks of code with the name of a file behind the language. */
function filesOf(page: string): readonly { readonly name: string; readonly content: string }[] {
  return page.split("```").flatMap((part, at) => {
    const end = part.indexOf("\n");
    const [language, name] = part.slice(0, end).split(" ");
    return at % 2 === 1 && language === "ts" && name !== undefined ? [{ name, content: part.slice(end + 1) }] : [];
  });
}
