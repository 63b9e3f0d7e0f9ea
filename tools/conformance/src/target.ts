/** The target of the tests: an existing server or an embedded one. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endWithUs } from "./end-with-us.ts";

/** A server and the way to run programs where its pods can be reached. */
export interface Target extends AsyncDisposable {
  readonly kubeconfig: string;
  /** The command line that runs a command in the network of the pods. */
  readonly inside: (argv: readonly string[]) => readonly string[];
}

/** What to start. */
export interface Wanted {
  readonly on: string;
  readonly nodes: number;
  readonly pods: string;
  /** OCI archives with images for pods, or the folder of an image store. */
  readonly images: readonly string[] | { readonly store: string };
}

/** Loads images into a folder, for several targets to share. */
export async function loadImages(archives: readonly string[]): Promise<{ readonly store: string } & Disposable> {
  const store = mkdtempSync(join(tmpdir(), "capstan-images-"));
  await run([...capstan, "cluster", "load-image", ...archives], { ...process.env, XDG_DATA_HOME: store });
  return { store, [Symbol.dispose]: () => rmSync(store, { recursive: true, force: true }) };
}

const capstan: readonly string[] = [
  process.execPath,
  "--conditions=@capstan/source",
  "--disable-warning=ExperimentalWarning",
  "apps/cli/src/main.ts",
];

/** A kubeconfig as it is, or what to start. */
export async function startTarget(wanted: string | Wanted): Promise<Target> {
  if (typeof wanted === "string") {
    return { kubeconfig: wanted, inside: (argv) => argv, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const folder = mkdtempSync(join(tmpdir(), "capstan-target-"));
  const kubeconfig = join(folder, "kubeconfig");
  const { images } = wanted;
  const store = "store" in images ? images.store : join(folder, "d");
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "s"), XDG_DATA_HOME: store };
  if (!("store" in images) && images.length > 0) await run([...capstan, "cluster", "load-image", ...images], env);
  const command = [...capstan, ...commandOf(wanted, kubeconfig)];
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["ignore", "ignore", "inherit"], env });
  endWithUs(child);
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new TypeError(`capstan ${wanted.on} did not start; see above`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const places = [`XDG_STATE_HOME=${env.XDG_STATE_HOME}`, `XDG_DATA_HOME=${env.XDG_DATA_HOME}`];
  const hasNetwork = wanted.on === "cluster" && wanted.pods === "real";
  return {
    kubeconfig,
    inside: (argv) => (hasNetwork ? ["env", ...places, ...capstan, "cluster", "exec", "--", ...argv] : argv),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await new Promise((resolve) => child.once("exit", resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function commandOf({ on, nodes, pods }: Wanted, kubeconfig: string): readonly string[] {
  switch (on) {
    case "apiserver":
      return ["apiserver", "--port", "0", "--kubeconfig-out", kubeconfig];
    case "cluster":
      return [
        "cluster",
        "start",
        "--foreground",
        "--kubeconfig-out",
        kubeconfig,
        "--nodes",
        `${nodes}`,
        "--pods",
        pods,
      ];
    default:
      throw new TypeError(`cannot start "${on}"; use --on apiserver or --on cluster`);
  }
}

async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(argv[0] ?? "", argv.slice(1), { stdio: ["ignore", "ignore", "inherit"], env });
  const code = await new Promise((resolve) => void child.once("exit", resolve));
  if (code !== 0) throw new TypeError("the images could not be loaded; see above");
}
