import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

test("importing the runtime loads none of Node's heavy optional modules", () => {
  const program = `
    const before = new Set(process.moduleLoadList);
    await import("@capstan/runtime");
    console.log(process.moduleLoadList.filter((name) => !before.has(name)).join("\\n"));`;
  const args = ["--conditions=@capstan/source", "--disable-warning=ExperimentalWarning", "--input-type=module", "-e"];
  const said = execFileSync(process.execPath, [...args, program], { cwd: import.meta.dirname, encoding: "utf8" });
  const loaded = said.split("\n").map((line) => line.replace("NativeModule ", ""));
  assert.ok(loaded.length > 1, "importing it loads something of Node");
  assert.deepEqual(
    // The last two are loaded by node:util and node:fs if those are imported as ES modules, which reads all their exports.
    ["crypto", "zlib", "tls", "http", "http2", "internal/util/diff", "internal/streams/fast-utf8-stream"].filter(
      (name) => loaded.includes(name),
    ),
    [],
  );
});
