/** Tests in other languages on the embedded API server: the examples of docs/guide/other-languages.md. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startApiServer, toKubeconfig } from "@capstan/apiserver";

const run = promisify(execFile);

/** The reason to skip if a toolchain does not start. */
function missing(program: string, ...words: readonly string[]): string | false {
  try {
    execFileSync(program, words, { stdio: "ignore" });
    return false;
  } catch {
    return `${program} is not installed here`;
  }
}

test("a program in Java uses a server with one kubeconfig", { skip: missing("java", "-version") }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-java-"));
  await using server = await startApiServer({ listen: { port: 0, tls: true } });
  const kubeconfig = join(folder, "kubeconfig");
  try {
    await writeFile(kubeconfig, toKubeconfig(server));
    const file = join(import.meta.dirname, "java/ApiTest.java");
    const { stdout } = await run("java", [file], { env: { ...process.env, KUBECONFIG: kubeconfig } });
    assert.equal(stdout, "passed\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a program in Rust uses a server with one kubeconfig", { skip: missing("rustc", "--version") }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-rust-"));
  await using server = await startApiServer({ listen: { port: 0, tls: false } });
  const kubeconfig = join(folder, "kubeconfig");
  try {
    await writeFile(kubeconfig, toKubeconfig(server));
    const program = join(folder, "api_test");
    await run("rustc", ["--edition", "2021", "-o", program, join(import.meta.dirname, "rust/api_test.rs")]);
    const { stdout } = await run(program, [], { env: { ...process.env, KUBECONFIG: kubeconfig } });
    assert.equal(stdout, "passed\n");
  } finally {
    await rm(folder, { recursive: true });
  }
});
