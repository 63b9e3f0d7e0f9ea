/** Who takes part in the benchmark, and how each is built and started. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Peer {
  readonly name: string;
  readonly command: readonly string[];
}

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capstan", "bench");

/** The command of each peer; those from Go are built once, outside the checkout. */
export function preparePeers(wanted: readonly string[]): Peer[] {
  const all: { readonly [name: string]: () => readonly string[] } = {
    capstan: () => [
      process.execPath,
      "bench/runtime/widget.ts",
      "--health-probe-bind-address=0",
      "--metrics-bind-address=0",
      "--leader-elect=false",
      "--log-level=error",
    ],
    "controller-runtime": () => [buildGo("controller-runtime")],
    "client-node": () => [process.execPath, "bench/peers/client-node/main.ts"],
  };
  return wanted.map((name) => {
    const command = all[name];
    if (command === undefined) throw new RangeError(`there is no peer ${name}; use ${Object.keys(all).join(", ")}`);
    return { name, command: command() };
  });
}

function buildGo(name: string): string {
  const folder = join(cache, name);
  const program = join(folder, "bench");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  cpSync(`bench/peers/${name}`, folder, { recursive: true });
  const go = (...args: string[]): void => {
    execFileSync("go", args, { cwd: folder, stdio: "inherit", env: { ...process.env, CGO_ENABLED: "0" } });
  };
  go("mod", "tidy");
  go("build", "-o", "bench", ".");
  return program;
}
