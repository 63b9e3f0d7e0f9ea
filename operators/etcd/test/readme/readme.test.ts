/** Types every line of the README's walkthrough, on the embedded cluster and on Kubernetes. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import {
  buildPrograms,
  buildTestImages,
  DEFAULT_RELEASE,
  kubernetesMissing,
  kubernetesProgram,
  programPath,
  showProgress,
  useKubernetes,
} from "@capstan/kubernetes";
import { readWalk } from "./blocks.ts";
import type { Step } from "./blocks.ts";
import { says, Shell } from "./shell.ts";

const operator = join(import.meta.dirname, "../..");
const walk = async (): Promise<readonly Step[]> =>
  readWalk(await readFile(join(operator, "README.md"), "utf8"), "Five minutes");

/** A reader's shell, with its own clusters and images. */
async function openShell(t: TestContext, more: NodeJS.ProcessEnv = {}): Promise<Shell> {
  const folder = await mkdtemp(join(tmpdir(), "etcd-readme-"));
  const kubectl = kubernetesProgram("kubectl", DEFAULT_RELEASE.kubernetes);
  await buildPrograms([kubectl], showProgress(process.stderr));
  await symlink(programPath(kubectl), join(folder, "kubectl"));
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const [state, data] = ["state", "data"].map((name) => join(folder, name));
  const own = { PATH: `${folder}:${env["PATH"]}`, XDG_STATE_HOME: state, XDG_DATA_HOME: data };
  const shell = new Shell(operator, { ...env, ...own, NO_COLOR: "1", ...more });
  t.after(async () => {
    // A walkthrough that failed has left its cluster running.
    await shell.type("npx capstan cluster stop || true");
    await shell[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return shell;
}

async function take(t: TestContext, shell: Shell, steps: readonly Step[]): Promise<void> {
  let said = "";
  for (const step of steps) {
    if (step.do === "see") {
      for (const line of step.lines) assert.ok(says(said, line), `${JSON.stringify(line)} is not in:\n${said}`);
      continue;
    }
    said = "";
    for (const line of step.lines) {
      const began = performance.now();
      said += await shell.type(line);
      t.diagnostic(`${((performance.now() - began) / 1000).toFixed(1)} s  ${line}`);
    }
  }
}

test("embedded: the README's lines create, operate and remove a cluster", async (t) => {
  const shell = await openShell(t);
  await take(t, shell, await walk());
});

test(
  "kubernetes: the README's lines create and operate a cluster",
  { skip: kubernetesMissing({ node: true }) },
  async (t) => {
    const cluster = await useKubernetes(t, { node: true, own: true });
    const shell = await openShell(t, { KUBECONFIG: cluster.kubeconfig });
    const steps = (await walk()).filter((step) => step.do === "see" || step.where === "everywhere");
    const [first, ...others] = steps;
    assert.ok(first);
    await take(t, shell, [first]);
    // The nodes cannot reach a registry, so the images are loaded instead of pushed and pulled.
    const images = await buildTestImages({ only: ["etcd-3.5", "etcd-3.6"] });
    await cluster.load([join(operator, ".capstan/etcd-operator.tar"), ...images.map(({ archive }) => archive)]);
    await take(t, shell, others);
  },
);
