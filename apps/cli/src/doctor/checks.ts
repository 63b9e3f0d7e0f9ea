/** The registry of checks that `capstan doctor` runs. To add one, write it and list it. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CliError } from "../errors.ts";
import { isSince, oldestNode, oldestNodeOfProjects } from "../node-version.ts";
import { openProject } from "../project/disk.ts";
import type { Terminal } from "../terminal.ts";

/** The result of a check: ok, something required is missing, or something optional is absent. */
export interface Finding {
  readonly state: "ok" | "missing" | "absent";
  /** The result, or what to do. */
  readonly detail: string;
  /** The steps to take, if they do not fit a line. */
  readonly steps?: readonly string[];
}

/** One check of this machine. */
export interface Check {
  readonly name: string;
  readonly run: (terminal: Terminal) => Promise<Finding>;
}

const node: Check = {
  name: "Node",
  run: async () => {
    const version = process.versions.node;
    const wanted = oldestNodeOfProjects.join(".");
    if (isSince(version, oldestNodeOfProjects)) return { state: "ok", detail: version };
    return isSince(version, oldestNode)
      ? { state: "ok", detail: `${version} runs operators; projects of capstan init want ${wanted} or newer` }
      : { state: "missing", detail: `${version} is too old: install ${wanted} or newer` };
  },
};

const temporaryFolder: Check = {
  name: "temporary folder",
  run: async () => {
    try {
      await rm(await mkdtemp(join(tmpdir(), "capstan-")), { recursive: true });
      return { state: "ok", detail: tmpdir() };
    } catch {
      return { state: "missing", detail: `${tmpdir()} cannot be written to: set TMPDIR to a folder that can` };
    }
  },
};

const project: Check = {
  name: "project",
  run: async ({ cwd }) => {
    try {
      return { state: "ok", detail: (await openProject(cwd)).root };
    } catch (error) {
      if (error instanceof CliError && error.code === "Project")
        return { state: "absent", detail: "no project in this folder: capstan init makes one" };
      return { state: "missing", detail: error instanceof Error ? error.message : String(error) };
    }
  },
};

const cluster: Check = {
  name: "cluster",
  run: async () => {
    const { createClient, loadConfig, processHost } = await import("@capstan/client");
    try {
      await using client = createClient(await loadConfig(processHost()), { timeoutMs: 3_000 });
      const { gitVersion } = await client.serverVersion();
      return { state: "ok", detail: `Kubernetes ${gitVersion}` };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { state: "absent", detail: `${why} (capstan dev needs none)` };
    }
  },
};

const kubectl: Check = {
  name: "kubectl",
  run: async ({ env }) => {
    try {
      const { stdout } = await promisify(execFile)("kubectl", ["version", "--client", "--output=json"], {
        env: { ...env },
        timeout: 10_000,
      });
      const { clientVersion } = JSON.parse(stdout) as { readonly clientVersion: { readonly gitVersion: string } };
      return { state: "ok", detail: clientVersion.gitVersion };
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code !== "ENOENT";
      const why = isThere ? "it is there, but does not say its version" : "it is not on the PATH";
      return {
        state: "absent",
        detail: `${why}: the guides use it, capstan does without (https://kubernetes.io/docs/tasks/tools)`,
      };
    }
  },
};

const realPods: Check = {
  name: "real pods",
  run: async () => {
    const { inspectMachine } = await import("@capstan/node");
    const { canRunPods, rights, findings } = await inspectMachine(process);
    const lacking = findings.filter(({ ok }) => !ok);
    if (canRunPods) {
      const steps = lacking.map(
        ({ what, detail, remedy }) => `${what}: ${detail.replace(/\.$/, "")}; ${remedy ?? "there is no cure"}`,
      );
      return { state: "ok", detail: `capstan cluster start runs real pods here, as ${rights}`, steps };
    }
    const steps = lacking.map(({ what, detail, remedy }) => `${what}: ${remedy ?? detail}`);
    const missing = lacking.length === 1 ? "one thing is missing" : `${lacking.length} things are missing`;
    return { state: "absent", detail: `pods are simulated here; ${missing}`, steps };
  },
};

const clusters: Check = {
  name: "embedded clusters",
  run: async (terminal) => {
    const { listRecords } = await import("../embedded/record.ts");
    const names = (await listRecords(terminal)).map(({ name }) => name);
    return names.length === 0
      ? { state: "absent", detail: "none runs: capstan cluster start starts one" }
      : { state: "ok", detail: names.join(", ") };
  },
};

/** All checks, in the order of the output. */
export const checks: readonly Check[] = [node, kubectl, temporaryFolder, realPods, project, clusters, cluster];
