/** Keeps what a package's first entry loads in two files: each further file costs an importer of the package 0.4 ms. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { BuildOptions, Plugin } from "esbuild";

/**
 * Adds this to the options of a build. esbuild creates a file of shared code for each set of entries that share it, even if one entry is
 * never used without the other: for lazily loaded parts the first entry is always loaded. So every other entry gets an import of the
 * first one. It is a side-effect import of a module without side effects, so it only changes how files are split.
 */
export async function asOne(
  options: BuildOptions & { entryPoints: string[]; absWorkingDir: string },
): Promise<BuildOptions> {
  const { absWorkingDir, entryPoints } = options;
  const first = join(absWorkingDir, entryPoints[0] ?? "");
  const { metafile } = await build({ ...options, metafile: true, write: false });
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const others = new Set(entries.map((entry) => join(absWorkingDir, entry)).filter((entry) => entry !== first));
  const importsFirst: Plugin = {
    name: "imports-first",
    setup: (building) =>
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        others.has(path)
          ? { contents: `${await readFile(path, "utf8")}\nimport ${JSON.stringify(first)};`, loader: "ts" }
          : undefined,
      ),
  };
  const logOverride = { "ignored-bare-import": "silent" } as const;
  return { ...options, plugins: [importsFirst], logOverride };
}
