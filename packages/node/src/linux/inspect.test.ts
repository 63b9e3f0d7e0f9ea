import assert from "node:assert/strict";
import { test } from "node:test";
import { inspectMachine } from "./inspect.ts";

test("where real pods cannot run at all, that is the one thing that is told, with what to do", async () => {
  for (const [machine, what, detail] of [
    [{ platform: "darwin", arch: "arm64" }, "Linux", "darwin"],
    [{ platform: "linux", arch: "riscv64" }, "processor", "riscv64"],
  ] as const) {
    const { canRunPods, findings } = await inspectMachine(machine);
    assert.equal(canRunPods, false);
    assert.deepEqual(
      findings.map((finding) => [finding.what, finding.ok, finding.detail]),
      [[what, false, detail]],
    );
    assert.match(findings[0]?.remedy ?? "", /or simulated pods$/);
  }
});
