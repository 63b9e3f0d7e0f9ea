/** Builds the test programs of controller-runtime from its Go module. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const module = "sigs.k8s.io/controller-runtime";
const version = "v0.25.2";

/** The packages with tests that need a server. */
export const testedPackages: readonly string[] = ["client", "builder", "webhook", "envtest", "cache", "manager"];

/** A program, and the source folder with its test data. */
export interface TestProgram {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
  readonly output: string;
}

/** Builds a program unless it exists. */
export async function buildPackage(name: string): Promise<TestProgram> {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const home = join(cache, "capstan", "controller-runtime", version);
  const path = join(home, `${name}.test`);
  await mkdir(home, { recursive: true });
  const goModule = join(home, "go.mod");
  if (!existsSync(goModule)) await writeFile(goModule, `module tests\n\ngo 1.26.0\n\nrequire ${module} ${version}\n`);
  const go = async (...words: string[]): Promise<string> => {
    const { stdout } = await run("go", words, { cwd: home, env: { ...process.env, CGO_ENABLED: "0" } });
    return stdout.trim();
  };
  if (!existsSync(path)) await go("test", "-mod=mod", "-vet=off", "-c", "-o", path, `${module}/pkg/${name}`);
  const sources = await go("list", "-mod=mod", "-m", "-f", "{{.Dir}}", module);
  return { name, path, folder: join(sources, "pkg", name), output: join(home, `${name}.out`) };
}
