/** The original manager, built from its Go module, on an embedded cluster, for scenarios. */
import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";
import { buildPrograms, olmPrograms, programPath, showProgress } from "@capstan/kubernetes";
import { installBase } from "@capstan/lifecycle";
import { systemClock } from "@capstan/runtime";
import { settingOf } from "../world.ts";
import { placeOf } from "./driver.ts";
import type { Managed } from "./ours.ts";

/** Starts both. The definitions of the kinds are ours, which a test compares with the original ones. */
export async function startOriginal(): Promise<Managed> {
  await buildPrograms(olmPrograms(), showProgress(process.stderr));
  const embedded = await startCluster({ heartbeat: false, port: 0 });
  const folder = await mkdtemp(join(tmpdir(), "capstan-olm-"));
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, embedded.kubeconfig ?? "");
  await installBase({ cluster: settingOf(embedded).cluster, clock: systemClock, namespace: "olm" });
  const [catalog, olm] = olmPrograms();
  if (catalog === undefined || olm === undefined) throw new Error("the programs of OLM are not known");
  const start = (path: string, words: readonly string[]): ChildProcess => {
    const log = createWriteStream(
      process.env["OLM_LOG"] === undefined ? "/dev/null" : join(folder, `${words.length}.log`),
    );
    const child = spawn(path, words, {
      cwd: folder,
      env: { ...process.env, KUBECONFIG: kubeconfig, OPERATOR_NAMESPACE: "olm", OPERATOR_NAME: "olm-operator" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    return child;
  };
  const children = [
    start(programPath(catalog), ["--kubeconfig", kubeconfig, "--namespace", "olm"]),
    start(programPath(olm), ["--namespace", "olm"]),
  ];
  return {
    place: placeOf(embedded.client),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(children.map(stop));
      await embedded[Symbol.asyncDispose]();
      if (process.env["OLM_LOG"] === undefined) await rm(folder, { recursive: true, force: true });
      else process.stderr.write(`the logs of OLM are in ${folder}\n`);
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
