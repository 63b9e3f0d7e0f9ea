/** The checked-in rules, dashboards and runbook are what the program says; their metrics are those that the operator serves. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const operator = join(import.meta.dirname, "../..");
const command = join(operator, "../../apps/cli/src/main.ts");

async function generate(...args: readonly string[]): Promise<string> {
  const flags = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, command, "generate", ...args], {
    cwd: operator,
  });
  return stdout;
}

const pages = [
  { file: "monitoring/runbook.md", args: ["runbook"] },
  { file: "monitoring/alerts.yaml", args: ["alerts"] },
] as const;

for (const { file, args } of pages) {
  test(`${file}: npx capstan generate ${args.join(" ")} > ${file} writes it again`, async () => {
    assert.equal(await readFile(join(operator, file), "utf8"), await generate(...args));
  });
}

test("the dashboards: npx capstan generate dashboards --out monitoring/grafana", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "monitoring-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await generate("dashboards", "--out", folder);
  for (const name of ["mariadb.json", "controllers.json", "resources.json"]) {
    const written = await readFile(join(folder, name), "utf8");
    assert.equal(await readFile(join(operator, "monitoring/grafana", name), "utf8"), written, name);
  }
});
