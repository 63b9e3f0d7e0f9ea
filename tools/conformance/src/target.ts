/** What the tests run against: a server that is there, or an embedded one that is started for them. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Target extends AsyncDisposable {
  readonly kubeconfig: string;
}

const commands: { readonly [on: string]: (kubeconfig: string) => readonly string[] } = {
  apiserver: (kubeconfig) => ["apiserver", "--port", "0", "--kubeconfig-out", kubeconfig],
  cluster: (kubeconfig) => ["cluster", "start", "--foreground", "--kubeconfig-out", kubeconfig],
};

/** A kubeconfig as it is, or the name of what to start. */
export async function startTarget(wanted: string | { readonly on: string }): Promise<Target> {
  if (typeof wanted === "string") return { kubeconfig: wanted, [Symbol.asyncDispose]: () => Promise.resolve() };
  const command = commands[wanted.on];
  if (command === undefined) throw new TypeError(`cannot start "${wanted.on}"; use --on apiserver or --on cluster`);
  const folder = mkdtempSync(join(tmpdir(), "capstan-target-"));
  const kubeconfig = join(folder, "kubeconfig");
  const child = spawn(
    process.execPath,
    [
      "--conditions=@capstan/source",
      "--disable-warning=ExperimentalWarning",
      "apps/cli/src/main.ts",
      ...command(kubeconfig),
    ],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new TypeError(`capstan ${wanted.on} did not start; see above`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    kubeconfig,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
