import assert from "node:assert/strict";
import { test } from "node:test";
import { inspectMachine } from "./inspect.ts";

test("a machine that cannot run real pods gets that one finding, with a remedy", async () => {
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

const skip = process.platform === "linux" ? false : "it looks for the tools of Linux";

test("when tools are missing, optional features are not reported", { skip }, async (t) => {
  const { PATH } = process.env;
  t.after(() => (process.env["PATH"] = PATH));
  process.env["PATH"] = "/nowhere";
  const { canRunPods, findings } = await inspectMachine({ platform: "linux", arch: "x64", getuid: () => 0 });
  assert.equal(canRunPods, false);
  const lacking = findings.filter(({ ok }) => !ok).map(({ what }) => what);
  assert.ok(lacking.includes("mount"));
  assert.deepEqual(
    findings.map(({ what }) => what).filter((what) => what === "limits" || what === "slow lines"),
    [],
  );
});
