/** A user in an empty folder: npm with a given Node, a registry, and nothing else of this checkout. */
import { spawn } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The circumstances of a user. */
export interface UserOptions {
  /** An empty folder. */
  readonly folder: string;
  /** The program `node`. */
  readonly node: string;
  /** The address of the registry. */
  readonly registry: string;
}

/** The environment of such a user. `npm` and `npx` run with the given Node, and with a cache and a configuration in the folder. */
export function userEnvironment({ folder, node, registry }: UserOptions): { readonly [name: string]: string } {
  const bin = join(folder, ".bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(realpathSync(node), join(bin, "node"));
  const npm = findNpm();
  for (const name of ["npm", "npx"]) symlinkSync(join(npm, `bin/${name}-cli.js`), join(bin, name));
  const host = registry.replace(/^http:/u, "");
  const config = [
    `registry=${registry}/`,
    `${host}/:_authToken=local`,
    "audit=false",
    "fund=false",
    "update-notifier=false",
  ];
  writeFileSync(join(folder, ".npmrc"), `${config.join("\n")}\n`);
  return {
    PATH: [bin, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: folder,
    XDG_DATA_HOME: join(folder, ".data"),
    XDG_STATE_HOME: join(folder, ".state"),
    npm_config_userconfig: join(folder, ".npmrc"),
    npm_config_cache: join(folder, ".npm"),
    NO_COLOR: "1",
    CI: "true",
  };
}

/** The folder of npm itself, as npm names it. */
function findNpm(): string {
  const cli = process.env["npm_execpath"];
  if (cli === undefined) throw new Error("npm does not say where it is: start this with `npm run release`");
  return join(realpathSync(cli), "../..");
}

/** What a command printed, and how long it took. */
export interface Ran {
  readonly output: string;
  readonly seconds: number;
}

/** Runs a line in a shell; throws with its output if it fails. */
export async function runAs(
  line: string,
  { cwd, env }: { readonly cwd: string; readonly env: { readonly [name: string]: string } },
): Promise<Ran> {
  const began = performance.now();
  const child = spawn("sh", ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (code !== 0) throw new Error(`\`${line}\` ended with ${code}:\n${output}`);
  return { output, seconds: (performance.now() - began) / 1000 };
}
