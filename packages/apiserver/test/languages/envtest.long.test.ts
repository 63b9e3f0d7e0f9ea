/** A Go test suite with envtest on the launchers. It is long because Go compiles client-go first. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);

function goMissing(): string | false {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return false;
  } catch {
    return "go is not installed here";
  }
}

test("a Go suite with envtest runs on the launchers", { skip: goMissing() }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-go-"));
  try {
    await cp(join(import.meta.dirname, "go"), folder, { recursive: true });
    const assets = join(import.meta.dirname, "../../launchers");
    const env = { ...process.env, KUBEBUILDER_ASSETS: assets, CGO_ENABLED: "0" };
    const { stdout } = await run("go", ["test", "-mod=mod", "-vet=off", "-count=1", "./..."], { cwd: folder, env });
    assert.match(stdout, /^ok\s+example\.com\/envtest/mu);
  } finally {
    await rm(folder, { recursive: true });
  }
});
