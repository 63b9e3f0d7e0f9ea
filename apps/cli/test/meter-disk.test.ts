/** Tests of a disk that takes no more: the import ends with the code of the disk, and goes on when there is room. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { usageCase } from "./meter-crash.ts";
import { capstan } from "./terminal.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Runs a command that cannot write files larger than some KiB. */
async function limited(folder: string, kibibytes: number, words: readonly string[]): Promise<number> {
  const script = `ulimit -f ${kibibytes}; exec "$@"`;
  const command = [process.execPath, "--conditions=@capstan/source", main, "meter", ...words];
  const child = spawn("bash", ["-c", script, "bash", ...command], { cwd: folder, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? -1;
}

test("an import without room ends with code 7, keeps its commits, and goes on", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "meter-disk-"));
  t.after(() => rm(folder, { recursive: true }));
  const { book, files, words } = usageCase(400);
  await writeFile(join(folder, "metering.yaml"), book);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const tail = ["--now", "2026-06-01T00:00:00Z"];
  const run = async (...more: string[]): Promise<string> => {
    const ran = await capstan(["meter", ...more, ...tail], { cwd: folder });
    assert.equal(ran.code, 0, ran.err);
    return ran.out;
  };
  await run(...words, "--store", "calm");
  // The first limit refuses a Parquet file, the second one the manifest while it grows.
  for (const kibibytes of [1, 6]) {
    assert.equal(await limited(folder, kibibytes, [...words, ...tail, "--store", "full"]), 7, `${kibibytes} KiB`);
    await run("doctor", "--store", "full");
  }
  const report = ["report", "--from", "2026-02-01", "--to", "2026-05-01", "--by", "namespace", "-o", "json"];
  const { rows } = JSON.parse(await run(...report, "--store", "full")) as { rows: unknown[] };
  assert.ok(rows.length > 0, "what was committed before is kept");
  await run(...words, "--store", "full");
  assert.equal(await run(...report, "--store", "full"), await run(...report, "--store", "calm"));
});
