/** The contenders of the benchmark, and how each is built and started: as its users would ship it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { nodeFlags } from "@capstan/runtime";
import { transformSync } from "esbuild";

/** A contender: an operator that can be started. */
export interface Peer {
  readonly name: string;
  readonly command: readonly string[];
}

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capstan", "bench");

const builders: { readonly [name: string]: () => readonly string[] } = {
  capstan: () => [
    process.execPath,
    ...nodeFlags,
    withoutTypes("bench/runtime/widget.ts"),
    // No other contender opens ports, elects a leader or installs CRDs.
    "--health-probe-bind-address=0",
    "--metrics-bind-address=0",
    "--leader-elect=false",
    "--install-crds=false",
    "--log-level=error",
  ],
  "controller-runtime": () => [buildGo("controller-runtime")],
  "controller-runtime-ryw": () => [buildGo("controller-runtime"), "--read-your-writes"],
  "kube-rs": () => [buildRust("kube-rs")],
  "client-node": () => [process.execPath, withoutTypes("bench/peers/client-node/main.ts")],
};

/** The command of each peer; those in Go and Rust are built once, outside the checkout. */
export function preparePeers(wanted: readonly string[]): Peer[] {
  return wanted.map((name) => {
    const command = builders[name];
    if (command === undefined)
      throw new RangeError(`there is no peer ${name}; use ${Object.keys(builders).join(", ")}`);
    return { name, command: command() };
  });
}

/** An image contains JavaScript, so types are not stripped at each start. */
function withoutTypes(file: string): string {
  const target = join("bench/dist", `${basename(dirname(file))}-${basename(file, ".ts")}.js`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, transformSync(readFileSync(file, "utf8"), { loader: "ts", format: "esm" }).code);
  return target;
}

function buildGo(name: string): string {
  return built(name, "bench", (folder) => {
    const go = (...args: string[]): void => {
      execFileSync("go", args, { cwd: folder, stdio: "inherit", env: { ...process.env, CGO_ENABLED: "0" } });
    };
    go("mod", "tidy");
    go("build", "-o", "bench", ".");
  });
}

function buildRust(name: string): string {
  return built(name, "target/release/bench", (folder) => {
    execFileSync("nice", ["-n", "10", "cargo", "build", "--release"], { cwd: folder, stdio: "inherit" });
  });
}

/** Builds again only when the sources have changed since the last successful build. */
function built(name: string, program: string, build: (folder: string) => void): string {
  const folder = join(cache, name);
  const stamp = join(folder, "built-from");
  const sources = fingerprint(`bench/peers/${name}`);
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== sources) {
    mkdirSync(folder, { recursive: true });
    cpSync(`bench/peers/${name}`, folder, { recursive: true });
    build(folder);
    writeFileSync(stamp, sources);
  }
  return join(folder, program);
}

function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const file of globSync("**/*.{go,mod,rs,toml}", { cwd: folder }).sort()) {
    hash.update(file).update(readFileSync(join(folder, file)));
  }
  return hash.digest("hex");
}
